import fc from 'fast-check';
import { Fence } from '../../../storage/faults/fence.js';
import type { AppendGroup } from '../../../storage/log/append-group.js';
import { type CommitTarget, GroupCommit } from '../../../storage/log/group-commit.js';
import { BufferPool } from '../../../storage/log/group-part.js';

/** A step that the test lets happen, or fail. */
class Step {
  readonly promise: Promise<void>;
  settle: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  constructor(readonly firstOffset: number) {
    this.promise = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
  }
}

/** Groups that are shared and written, and segments that end, when the test says so. */
class HeldTarget implements CommitTarget {
  readonly refusal = null;
  readonly log: string[] = [];
  sharing: Step | null = null;
  writing: Step | null = null;
  private shared = 0;
  private written = 0;

  constructor(private readonly isShared: boolean) {}

  get gathers(): boolean {
    return this.isShared;
  }

  share(group: AppendGroup): Promise<void> | null {
    if (!this.isShared) return null;
    expect(this.sharing).toBeNull();
    // Only the group before this one may be on its way to the folder.
    expect(this.shared - this.written).toBeLessThanOrEqual(1);
    this.sharing = new Step(group.baseOffset);
    return this.sharing.promise.then(() => {
      this.shared += 1;
      this.sharing = null;
    });
  }

  async write(group: AppendGroup): Promise<null> {
    expect(this.writing).toBeNull();
    if (this.isShared) expect(this.written).toBeLessThan(this.shared);
    this.writing = new Step(group.baseOffset);
    try {
      await this.writing.promise;
    } finally {
      this.writing = null;
    }
    this.written += 1;
    this.log.push(`${group.baseOffset}-${group.nextOffset}`);
    return null;
  }

  async endSegment(): Promise<void> {
    expect(this.writing).toBeNull();
    this.log.push('end');
  }
}

/** The commit loop of one log, its answer to each append, and the order in which all settled. */
class World {
  readonly target: HeldTarget;
  readonly commit: GroupCommit;
  readonly said: string[] = [];
  readonly visible: number[] = [];
  readonly fence = new Fence();

  constructor(isShared: boolean) {
    this.target = new HeldTarget(isShared);
    const store = {
      buffers: new BufferPool(),
      fence: this.fence,
      committing: () => () => undefined,
      after: () => () => undefined,
    };
    const log = { id: 1, nextOffset: 0, lastTime: 0 };
    this.commit = new GroupCommit(store, log, this.target, (group) => {
      for (let at = group.baseOffset; at < group.nextOffset; at += 1) this.visible.push(at);
    });
  }

  append(): void {
    try {
      const { baseOffset, durable } = this.commit.append([{ key: null, value: null }], 1, false);
      const say = (word: string) => () => this.said.push(`${word} ${baseOffset}`);
      durable.then(say('kept'), say('lost'));
    } catch (error) {
      expect(error).toBe(this.fence.error);
    }
  }

  end(): void {
    const { endOffset } = this.commit;
    const say = (word: string) => () => this.said.push(`${word} before ${endOffset}`);
    this.commit.endSegment().then(say('ended'), say('lost'));
  }
}

const round = () => new Promise((resolve) => setImmediate(resolve));

/** Waits two rounds: a shared group is closed one round later than it could be. */
async function settled(): Promise<void> {
  await round();
  await round();
}

const offsetsIn = (said: readonly string[], word: string) =>
  said.filter((text) => text.startsWith(`${word} `)).map((text) => Number(text.split(' ').at(-1)));

describe('groups that other machines share', () => {
  it('are shared while the group before them is written', async () => {
    const { target, commit, said, append } = bound(new World(true));
    append();
    await settled();
    append();
    target.sharing?.settle();
    await settled();
    expect([target.writing?.firstOffset, target.sharing?.firstOffset]).toEqual([0, 1]);
    append();
    target.sharing?.settle();
    await settled();
    // The third one waits for the first: sharing is one group ahead of writing.
    expect([target.writing?.firstOffset, target.sharing]).toEqual([0, null]);
    expect(said).toEqual([]);
    target.writing?.settle();
    await settled();
    expect(said).toEqual(['kept 0']);
    expect([target.writing?.firstOffset, target.sharing?.firstOffset]).toEqual([1, 2]);
    const idle = commit.idle();
    target.writing?.settle();
    target.sharing?.settle();
    await settled();
    target.writing?.settle();
    await idle;
    expect(said).toEqual(['kept 0', 'kept 1', 'kept 2']);
  });

  it('take everything that comes in the round in which the one before is shared', async () => {
    const { target, append } = bound(new World(true));
    append();
    await settled();
    append();
    // Like two sockets that are ready at once: the answer to the first group, and a request.
    setImmediate(() => target.sharing?.settle());
    setImmediate(append);
    await round();
    await settled();
    expect(target.sharing?.firstOffset).toBe(1);
    target.sharing?.settle();
    target.writing?.settle();
    await settled();
    target.writing?.settle();
    await settled();
    expect(target.log).toEqual(['0-1', '1-3']);
  });

  it('are refused if the group before them cannot be written', async () => {
    const { target, said, append, fence } = bound(new World(true));
    append();
    await settled();
    append();
    target.sharing?.settle();
    await settled();
    target.sharing?.settle();
    target.writing?.fail(new Error('no disk'));
    await settled();
    expect(said).toEqual(['lost 0', 'lost 1']);
    expect(fence.error?.message).toContain('writing log 1');
  });
});

function bound(world: World) {
  return { ...world, append: () => world.append() };
}

const moves = ['append', 'append', 'share', 'share', 'write', 'write', 'end'] as const;
const faults = ['share fails', 'write fails', 'nothing fails'] as const;

it.each([true, false])(
  'groups count in order, and none before it is written (shared: %s)',
  (isShared) => {
    const walk = fc.record({
      steps: fc.array(fc.constantFrom(...moves), { maxLength: 60 }),
      fault: fc.constantFrom(...faults),
      faultAt: fc.nat({ max: 60 }),
    });
    return fc.assert(
      fc.asyncProperty(walk, async ({ steps, fault, faultAt }) => {
        const world = new World(isShared);
        const { target, said, visible } = world;
        const fails = (step: number, which: string) => step >= faultAt && fault === which;
        const proceed = (step: number, move: 'share' | 'write') => {
          const held = move === 'share' ? target.sharing : target.writing;
          if (fails(step, `${move} fails`)) held?.fail(new Error(fault));
          else held?.settle();
        };
        for (const [step, move] of steps.entries()) {
          if (move === 'append') world.append();
          else if (move === 'end') world.end();
          else proceed(step, move);
          if (step % 3 > 0) await settled();
          expect(offsetsIn(said, 'kept').length).toBeLessThanOrEqual(visible.length);
        }
        let isIdle = false;
        void world.commit.idle().then(() => (isIdle = true));
        for (let step = 61; !isIdle && step < 300; step += 1) {
          proceed(step, 'share');
          proceed(step, 'write');
          await settled();
        }
        expect(isIdle).toBe(true);
        const kept = offsetsIn(said, 'kept');
        expect(kept).toEqual([...kept.keys()]);
        expect(visible).toEqual(kept);
        const given = world.commit.endOffset;
        const lost = said.filter((text) => /^lost \d/.test(text)).length;
        expect(kept.length + lost).toBe(given);
        if (world.fence.error === null) expect(lost).toBe(0);
        else expect(world.fence.error.cause).toEqual(new Error(fault));
        const ends = said.filter((text) => text.includes(' before '));
        expect(ends).toHaveLength(steps.filter((move) => move === 'end').length);
        // A segment ends after everything that was appended before its end was requested.
        for (const end of offsetsIn(said, 'ended')) expect(kept.length).toBeGreaterThanOrEqual(end);
        const written = target.log.filter((text) => text !== 'end').map((text) => text.split('-'));
        expect(written.map(([first]) => first)).toEqual(
          ['0', ...written.map(([, next]) => next)].slice(0, written.length),
        );
      }),
    );
  },
);
