import { SeededRandom } from '../../simulation/seeded-random.js';
import { seed } from '../../support/seed.js';
import { violationsOf } from './checker.js';
import type { Arrival, Lane, Observed, Takeover } from './observed.js';

const queue: Lane = { name: 'queue', isOrdered: true, parallelism: 1, rate: null };
const key: Lane = {
  name: 'key',
  isOrdered: false,
  parallelism: null,
  rate: { starts: 3, periodMs: 5000 },
};

const arrival = (number: number, from: number, until = from + 10, lane = 'queue'): Arrival => ({
  lane,
  number,
  from,
  until,
  lateMs: 0,
});
const acknowledged = (number: number, lane = 'queue') => ({
  lane,
  number,
  messageId: `msg_${number}`,
  sentAt: 100 * number,
  answeredAt: 100 * number + 50,
});
const takeover = (from: number, until: number, more: Partial<Takeover> = {}): Takeover => ({
  isPlanned: false,
  from,
  until,
  wentOnAt: null,
  ...more,
});
const seen = (more: Partial<Observed>): Observed => ({
  lanes: [queue, key],
  arrivals: [],
  acknowledged: [],
  takeovers: [],
  committed: new Map(),
  ...more,
});
const numbers = [1, 2, 3, 4];
const committed = (change: Readonly<Record<number, object>> = {}) =>
  new Map(
    numbers.map((number) => [
      `msg_${number}`,
      { epoch: number < 3 ? 1 : 2, at: 100 * number + 20, counts: true, ...change[number] },
    ]),
  );
const ofQueue = (arrivals: Arrival[], takeovers: Takeover[] = []) =>
  violationsOf(
    seen({
      arrivals,
      takeovers,
      acknowledged: numbers.map((each) => acknowledged(each)),
      committed: committed(),
    }),
  );

describe('a queue', () => {
  it('keeps its promise in order, one message at a time', () => {
    expect(ofQueue(numbers.map((number) => arrival(number, 100 * number)))).toEqual([]);
  });

  it('is reported if it is out of order', () => {
    expect(ofQueue([arrival(1, 0), arrival(3, 20), arrival(2, 40), arrival(4, 60)])).toEqual([
      'queue: 2 came for the first time after 3',
    ]);
  });

  it('may have an unacknowledged message anywhere', () => {
    expect(ofQueue([arrival(1, 0), arrival(9, 20), arrival(2, 40)])).toEqual([]);
  });

  it('is reported if two attempts run at once', () => {
    expect(ofQueue([arrival(1, 0, 50), arrival(2, 40)])).toEqual([
      'queue: 2 was under way beside 1',
    ]);
  });

  it('may have two attempts at once if one is of the previous owner', () => {
    const both = [arrival(1, 0, 5000), arrival(1, 4000, 4010), arrival(2, 4020)];
    expect(ofQueue(both, [takeover(100, 3900)])).toEqual([]);
    // Attempts of one owner, after the takeover, are judged as usual.
    const three = [arrival(1, 0, 5000), arrival(2, 4000, 4100), arrival(3, 4050)];
    expect(ofQueue(three, [takeover(100, 3900)])).toEqual(['queue: 3 was under way beside 2']);
    expect(ofQueue(both, [takeover(100, 3900, { isPlanned: true })])).toHaveLength(3);
  });

  it('is reported if it delivers again without a takeover', () => {
    expect(ofQueue([arrival(1, 0), arrival(1, 500)])).toEqual([
      'queue: 1 came again, and no takeover lies between',
    ]);
    expect(ofQueue([arrival(1, 0), arrival(1, 500)], [takeover(100, 400)])).toEqual([]);
    // An attempt that a stopped owner had begun arrives when that owner continues, after those of
    // the next owner.
    const stopped = takeover(100, 4000, { wentOnAt: 4500 });
    expect(ofQueue([arrival(1, 4100), arrival(1, 4510)], [stopped])).toEqual([]);
    expect(ofQueue([arrival(1, 4100), arrival(1, 5600)], [stopped])).toHaveLength(1);
  });
});

describe('a rate', () => {
  const at = (...times: number[]) => times.map((from, index) => arrival(index, from, from, 'key'));
  const judged = (times: number[], takeovers: Takeover[] = []) =>
    violationsOf(seen({ arrivals: at(...times), takeovers }));

  it('is kept by full windows, and by adjacent windows', () => {
    expect(judged([0, 1, 2, 5000, 5001, 5002, 10_000, 10_001, 10_002])).toEqual([]);
    expect(judged([0, 4998, 4999, 5000, 5001, 5002, 10_000])).toEqual([]);
  });

  it('is kept if attempts arrive late', () => {
    expect(judged([900, 901, 902, 5000, 5001, 5002])).toEqual([]);
    expect(judged([0, 1, 5100, 5101, 5102, 5103])).toEqual([]);
  });

  it('is kept if the destination hung before it noted the arrivals', () => {
    const noted = (lateMs: number) => {
      const arrivals = at(0, 1, 2, 3300, 3301, 3302);
      const late = arrivals.map((each, index) => (index < 3 ? { ...each, lateMs } : each));
      return violationsOf(seen({ arrivals: late }));
    };
    expect(noted(700)).toEqual([]);
    expect(noted(600)).toHaveLength(1);
  });

  it('is kept if a lost owner had opened the window', () => {
    const times = [3740, 3810, 5580, 5600, 5620];
    expect(judged(times)).toHaveLength(1);
    expect(judged(times, [takeover(100, 3720, { isPlanned: true })])).toHaveLength(1);
    expect(judged(times, [takeover(100, 3720)])).toEqual([]);
    // Such a window is also at least a period after the previous one.
    expect(judged([-1000, ...times], [takeover(100, 3720)])).toEqual([]);
    expect(judged([300, 310, ...times], [takeover(1500, 3720)])).toHaveLength(1);
  });

  it('is kept by whatever a fixed window allows, however late it comes', () => {
    const random = new SeededRandom(seed);
    for (let run = 0; run < 300; run += 1) {
      const times: number[] = [];
      for (
        let opened = 0;
        times.length < 40;
        opened += 5000 + random.below(2) * random.below(3000)
      ) {
        const starts = random.below(4);
        for (let start = 0; start < starts; start += 1) {
          const at = opened + (start === 0 ? 0 : random.below(5000));
          times.push(at + random.below(1001));
        }
      }
      expect(judged(times.sort((one, other) => one - other))).toEqual([]);
    }
  });

  it('is exceeded by a window that a new owner opens again', () => {
    const times = [0, 1, 2, 3500, 3501, 3502];
    expect(judged(times, [takeover(100, 3400)])).toEqual([
      'key: with 3 more came than 3 in 5000 ms',
    ]);
  });

  it('is exceeded by one start too many, early or late', () => {
    expect(judged([0, 1, 2, 3])).toHaveLength(1);
    expect(judged([0, 1, 2, 5000, 5001, 5002, 5003])).toHaveLength(1);
    expect(judged([0, 1, 2, 4200, 5001, 5002, 5003, 7000])).toHaveLength(1);
  });

  it('does not count what a stopped node had begun', () => {
    const stopped = takeover(100, 4000, { wentOnAt: 4500 });
    expect(judged([0, 1, 2, 4600, 5001, 5002, 5003], [stopped])).toEqual([]);
    // The attempt is not known to be of that node: here it opens the window of the new owner.
    expect(judged([0, 1, 2, 5010, 7000, 7001, 10_100, 10_101], [stopped])).toEqual([]);
    expect(judged([0, 1, 2, 4400, 4401, 5700, 5701], [stopped])).toHaveLength(1);
  });
});

describe('an acknowledgement', () => {
  const judged = (change: Readonly<Record<number, object>>, without?: number) => {
    const all = committed(change);
    all.delete(`msg_${without}`);
    const messages = numbers.map((each) => acknowledged(each));
    return violationsOf(seen({ acknowledged: messages, committed: all }));
  };

  it('names an event that counts, committed in between, by owners in their order', () => {
    expect(judged({})).toEqual([]);
  });

  it('is reported if it has no event', () => {
    expect(judged({}, 2)).toEqual(['2 was acknowledged, and the log lacks it']);
  });

  it('is reported if it is of a stale owner', () => {
    expect(judged({ 3: { counts: false } })).toEqual([
      '3 was acknowledged by an owner that was stale',
    ]);
    expect(judged({ 4: { epoch: 1 } })).toEqual(['4 is of epoch 1, and one before it of epoch 2']);
  });

  it('is reported if it is early or late', () => {
    const found = ['2 was committed before it was sent, or after it was answered'];
    expect(judged({ 2: { at: 290 } })).toEqual(found);
    expect(judged({ 2: { at: 150 } })).toEqual(found);
  });
});
