import type { AcknowledgedEntriesMissing } from '../../src/cluster/cluster-errors.js';
import type {
  AppendOutcome,
  CommitLog,
  ReadEntries,
  SharedLogEntry,
} from '../../src/cluster/commit-log.js';
import { ClusterNode } from '../../src/cluster/node.js';
import { ownershipRules } from '../../src/cluster/rules.js';
import type { HistoryState } from '../../src/cluster/shared-history.js';
import { Silence } from '../../src/cluster/silence.js';
import { systemClock } from '../../src/engine/clock.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import { seed } from '../support/seed.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A log in memory, shared by several nodes of this process. */
class MemoryLog implements CommitLog {
  entries: SharedLogEntry[] = [];
  start = 0;
  /** The probability that a call fails, hangs or loses its answer. */
  unluck = 0;
  private readonly random = new SeededRandom(seed);

  async append(_expected: number, bytes: Buffer): Promise<AppendOutcome> {
    const kept = Buffer.from(bytes);
    await pause(this.random.below(3));
    if (this.random.chance(this.unluck)) throw new Error('not connected');
    const place = this.entries.length;
    this.entries.push({ place, at: place, bytes: kept });
    if (this.random.chance(this.unluck)) return new Promise(() => {});
    return this.random.chance(this.unluck)
      ? { kind: 'unknown' }
      : { kind: 'stored', place, at: place };
  }

  async read(from: number): Promise<ReadEntries> {
    await pause(1 + this.random.below(3));
    if (this.random.chance(this.unluck)) throw new Error('not connected');
    const entries = this.entries.slice(Math.max(from, this.start));
    return { start: this.start, end: this.entries.length, entries };
  }

  async end(): Promise<number> {
    return this.entries.length;
  }

  async trim(before: number): Promise<void> {
    this.start = before;
  }

  async close(): Promise<void> {}
}

const times = { proofMs: 200, silenceMs: 300, marginMs: 30, beatMs: 40, retryMs: 10 };

let running: Folding[] = [];
afterEach(() => {
  for (const { node } of running) node.close();
  running = [];
});

/** A node that folds texts. */
class Folding {
  readonly node: ClusterNode;
  texts: string[] = [];
  error: AcknowledgedEntriesMissing | null = null;
  resyncs = 0;

  constructor(log: CommitLog, index: number, snapshot?: () => Folding) {
    running.push(this);
    const listener = {
      counted: ({ body }: { readonly body: Buffer }) => this.texts.push(body.toString()),
      took: () => {},
      released: () => undefined,
      stoodDown: () => {},
      resync: async (): Promise<HistoryState> => {
        if (snapshot === undefined) throw new Error('no snapshot');
        this.resyncs += 1;
        const { node, texts } = snapshot();
        this.texts = [...texts];
        return node.state;
      },
      stopped: (error: AcknowledgedEntriesMissing) => {
        this.error = error;
      },
    };
    this.node = new ClusterNode({
      log,
      clock: systemClock,
      listener,
      name: `node-${index}`,
      life: `00000000000000a${index}`,
      rules: ownershipRules,
      times,
      jitterMs: 20 * index,
      appendMs: 60,
      partBytes: 16,
    });
  }
}

async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await pause(2);
  }
}

const ownerOf = (nodes: readonly Folding[]) =>
  until(() => nodes.find(({ node }) => node.maySubmit));

/**
 * Commits texts, each under a new name until one is acknowledged; returns the acknowledged names.
 */
async function commit(nodes: readonly Folding[], names: readonly string[]): Promise<string[]> {
  const acknowledged: string[] = [];
  for (const name of names) {
    for (let attempt = 0; ; attempt += 1) {
      const { node } = await ownerOf(nodes);
      const text = `${name}.${attempt} of more than one part`;
      const counts = await node.submit(Buffer.from(text)).then(
        () => true,
        () => false,
      );
      if (!counts) continue;
      acknowledged.push(text);
      break;
    }
  }
  return acknowledged;
}

const names = (letter: string) => Array.from({ length: 15 }, (_, index) => `${letter}${index}`);

describe('nodes over a log', () => {
  it.each([0, 0.1])('fold the same, with everything acknowledged: faults %d', async (unluck) => {
    const log = new MemoryLog();
    log.unluck = unluck;
    const nodes = [1, 2, 3].map((index) => new Folding(log, index));
    const before = await commit(nodes, names('a'));
    const first = await ownerOf(nodes);
    first.node.close();
    const others = nodes.filter((each) => each !== first);
    const acknowledged = [...before, ...(await commit(others, names('b')))];
    const count = (text: string) => others[0]!.texts.filter((each) => each === text).length;
    await until(() => others[0]!.texts.join() === others[1]!.texts.join());
    expect(acknowledged.map(count)).toEqual(acknowledged.map(() => 1));
    expect(others.map(({ error }) => error)).toEqual([null, null]);
  });

  it('report the outcome of a batch in flight as unknown when they close', async () => {
    const log = new MemoryLog();
    const only = new Folding(log, 1);
    const { node } = await ownerOf([only]);
    const submitted = node.submit(Buffer.from('text'));
    node.close();
    await expect(submitted).rejects.toThrow('the node is closed');
    await expect(node.submit(Buffer.from('more'))).rejects.toThrow('may not submit');
    expect([node.maySubmit, node.mayAct, node.mayServe]).toEqual([false, false, false]);
  });

  it('continue from a snapshot if the log was trimmed', async () => {
    const log = new MemoryLog();
    const old = new Folding(log, 1);
    await commit([old], names('a'));
    await log.trim(old.node.state.next);
    const fresh = new Folding(log, 2, () => old);
    await commit([old], names('b'));
    await until(() => fresh.texts.length >= 30 && fresh.texts.join() === old.texts.join());
    expect(fresh.resyncs).toBeGreaterThan(0);
  });

  it('stop if acknowledged entries are gone', async () => {
    const log = new MemoryLog();
    const nodes = [1, 2].map((index) => new Folding(log, index));
    await commit(nodes, names('a'));
    await until(() => nodes.every(({ texts }) => texts.length >= 15));
    log.entries.splice(5);
    const error = await until(() => nodes.find((each) => each.error !== null)?.error ?? undefined);
    expect(error).toMatchObject({ name: 'AcknowledgedEntriesMissing', exitCode: 65 });
  });
});

describe('the silence of an owner', () => {
  it('has lasted once a read that began after its time has found no owner', () => {
    const silence = new Silence(0);
    for (let now = 0; now <= 300; now += 100) silence.ticked(now);
    silence.readAll(299);
    expect([silence.ms(300), silence.hasLasted(300, 300)]).toEqual([300, false]);
    silence.readAll(300);
    expect([silence.hasLasted(300, 299), silence.hasLasted(300, 300)]).toEqual([false, true]);
    silence.heard(300);
    expect([silence.ms(350), silence.hasLasted(300, 600)]).toEqual([50, false]);
  });

  it('does not last while the process stands still', () => {
    const silence = new Silence(0);
    silence.ticked(100);
    silence.readAll(100);
    // Before its first tick afterwards, as in a health check that is answered before it.
    expect(silence.ms(60_100)).toBe(1100);
    silence.ticked(60_100);
    silence.readAll(60_100);
    expect([silence.ms(60_100), silence.heardAt]).toEqual([100, 60_000]);
    expect(silence.hasLasted(300, 60_100)).toBe(false);
    silence.ticked(60_200);
    silence.ticked(60_300);
    silence.readAll(60_300);
    expect(silence.hasLasted(300, 60_300)).toBe(true);
  });
});
