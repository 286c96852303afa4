import fc from 'fast-check';
import {
  type OwnedPartition,
  Positions,
  takeAcknowledged,
} from '../../../src/topics/sessions/positions.js';

const rides = (...partitions: number[]) =>
  partitions.map((partition) => ({ topic: 'rides', partition }));

/** Positions that own one partition, which begins at 10. */
function reading() {
  const positions = new Positions();
  positions.own(rides(0));
  const [own] = positions.all;
  if (own === undefined) throw new Error('owns nothing');
  own.begin(10);
  return { positions, own };
}

const toStore = (positions: Positions) =>
  takeAcknowledged(positions.all).map(({ offset }) => offset);

describe('positions', () => {
  it('store nothing before anything was acknowledged', () => {
    const { positions, own } = reading();
    own.position = 15;
    positions.write();
    expect(toStore(positions)).toEqual([]);
    positions.acknowledge();
    expect(toStore(positions)).toEqual([15]);
    expect(toStore(positions)).toEqual([]);
  });

  it('are found without searching all of them', () => {
    const positions = new Positions();
    positions.own(rides(...Array.from({ length: 1000 }, (_, partition) => partition)));
    let looks = 0;
    for (const own of positions.all) {
      const { partition } = own;
      Object.defineProperty(own, 'partition', {
        get() {
          looks += 1;
          return partition;
        },
      });
    }
    const last = positions.find({ topic: 'rides', partition: 999 });
    expect(last).toBe(positions.all[999]);
    expect(last !== undefined && positions.owns(last)).toBe(true);
    expect(looks).toBeLessThan(10);
  });

  it('return to what was acknowledged when an answer is lost', () => {
    const { positions, own } = reading();
    own.position = 15;
    positions.write();
    positions.acknowledge();
    own.position = 20;
    positions.rewind();
    positions.acknowledge();
    expect([own.position, toStore(positions)]).toEqual([15, [15]]);
  });

  it('count as acknowledged what was written before the interval, and nothing later', () => {
    const { positions, own } = reading();
    own.position = 15;
    positions.write();
    positions.mark();
    own.position = 20;
    positions.write();
    positions.tick();
    expect(toStore(positions)).toEqual([15]);
    expect(positions.isOutstanding).toBe(true);
    positions.tick();
    expect(toStore(positions)).toEqual([20]);
    expect(positions.isOutstanding).toBe(false);
  });

  it.each([
    [12, 12, []],
    [20, 15, []],
    [5, 10, []],
  ])('follow a reader who commits %d itself: %d is acknowledged', (offset, acknowledged) => {
    const { positions, own } = reading();
    own.position = 15;
    positions.write();
    positions.storedByReader({ topic: 'rides', partition: 0, offset });
    expect(own.acknowledged).toBe(acknowledged);
    expect(toStore(positions)).toEqual([]);
    positions.acknowledge();
    expect(toStore(positions)).toEqual(acknowledged === 15 ? [] : [15]);
  });

  it('keep what stays owned, return what is lost, and distinguish acquisitions', () => {
    const positions = new Positions();
    positions.own(rides(0, 1));
    const [zero, one] = positions.all as [OwnedPartition, OwnedPartition];
    one.begin(7);
    expect(positions.own(rides(1, 2))).toEqual([zero]);
    expect(positions.find({ topic: 'rides', partition: 1 })?.position).toBe(7);
    positions.own(rides(2));
    positions.own(rides(1, 2));
    expect(positions.owns(one)).toBe(false);
    expect(positions.find({ topic: 'rides', partition: 1 })?.position).toBe(-1);
  });

  it('store nothing of a lost partition, and start at what it had stored before', () => {
    const { positions, own } = reading();
    own.position = 15;
    positions.write();
    positions.acknowledge();
    expect(toStore(positions)).toEqual([15]);
    own.position = -1;
    positions.write();
    positions.acknowledge();
    positions.tick();
    expect([toStore(positions), positions.isOutstanding]).toEqual([[], false]);
    positions.rewind();
    expect(own.position).toBe(15);
  });

  it('put another partition first each time', () => {
    const positions = new Positions();
    positions.own(rides(0, 1, 2));
    const order = () => positions.rotated().map(({ partition }) => partition);
    expect([order(), order(), order(), order()]).toEqual([
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
      [0, 1, 2],
    ]);
    expect(new Positions().rotated()).toEqual([]);
  });
});

type Step =
  | { readonly type: 'handOut' | 'seek'; readonly by: number }
  | { readonly type: 'write' | 'lose' | 'call' | 'tick' | 'mark' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constantFrom('handOut', 'seek'), by: fc.nat(9) }),
  fc.record({ type: fc.constantFrom('write', 'lose', 'call', 'tick', 'mark') }),
);

/** Applies a step; the next call of a reader comes when its last answer has ended. */
function take(positions: Positions, own: OwnedPartition, step: Step): void {
  if (step.type === 'handOut') own.position += step.by;
  else if (step.type === 'seek') own.begin(step.by);
  else if (step.type === 'write') positions.write();
  else if (step.type === 'lose') positions.rewind();
  else if (step.type === 'call') positions.acknowledge();
  else if (step.type === 'tick') positions.tick();
  else positions.mark();
}

it('positions always keep their order, and nothing unwritten is ever stored', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 30 }), (history) => {
      const { positions, own } = reading();
      let written = 10;
      for (const step of history) {
        take(positions, own, step);
        if (step.type === 'write') written = own.position;
        if (step.type === 'seek') written = step.by;
        expect(own.acknowledged).toBeLessThanOrEqual(own.marked);
        expect(own.marked).toBeLessThanOrEqual(own.written);
        expect(own.written).toBeLessThanOrEqual(own.position);
        for (const offset of toStore(positions)) expect(offset).toBeLessThanOrEqual(written);
      }
    }),
  );
});
