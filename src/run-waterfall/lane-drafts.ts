/** Lanes under construction: their bars, and the state that results from them. */
import type { Bar, BarKind, BarOutcome, Lane } from './lane.js';

/** The lanes under construction, in the order in which they are first named. */
export class LaneDrafts {
  private readonly byKey = new Map<string, LaneDraft>();

  constructor(private readonly endedAt: number | null) {}

  at(name: string, type: string): LaneDraft {
    return this.of(`${type} ${name}`, name, type);
  }

  /** The lane of the step with that name, whatever its type. */
  named(name: string): LaneDraft {
    for (const lane of this.byKey.values()) {
      if (lane.name === name && lane.type !== '') return lane;
    }
    return this.of(` ${name}`, name, 'Run');
  }

  after(name: string): LaneDraft {
    return this.of(`after ${name}`, `after ${name}`, '');
  }

  end(): LaneDraft {
    return this.of('end', 'end', 'Return');
  }

  lanes(runState: string | undefined): readonly Lane[] {
    const drawn = [...this.byKey.values()].filter((draft) => draft.hasBars());
    const lanes = drawn.map((draft) => draft.lane(this.endedAt, runState));
    const begin = ({ bars }: Lane) => bars[0]?.from ?? 0;
    return lanes.sort((one, other) => begin(one) - begin(other));
  }

  private of(key: string, name: string, type: string): LaneDraft {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const draft = new LaneDraft(key, name, type);
    this.byKey.set(key, draft);
    return draft;
  }
}

/** The lane of one step; `lane` can be called at any time. */
export class LaneDraft {
  readonly messageIds = new Set<string>();
  private readonly bars: Bar[] = [];
  /** When each open wait began, in order, and its kind, which is specific to the step. */
  private readonly opened: { readonly kind: BarKind; readonly from: number }[] = [];
  /** When entries of the step were stored, and which of them only plan it. */
  private readonly stored: { readonly at: number; readonly isPlan: boolean }[] = [];

  constructor(
    readonly key: string,
    readonly name: string,
    readonly type: string,
  ) {}

  /** The step opens a wait or an invocation, which its next result ends. */
  open(kind: BarKind, from: number): void {
    this.opened.push({ kind, from });
  }

  /** Adds an entry of the step; a parallel step has a plan first, and then its result. */
  store(at: number, isParallel: boolean): void {
    const isPlan = isParallel && this.stored.at(-1)?.isPlan !== true;
    this.stored.push({ at, isPlan });
    const oldest = isPlan ? undefined : this.opened.shift();
    if (oldest !== undefined) this.bars.push({ ...oldest, until: at, outcome: 'ok' });
    if (!isPlan) this.bars.push({ kind: 'stored', from: at, until: at, outcome: 'ok' });
  }

  /** Whether the entry that was stored at `createdAt` only plans the step. */
  isPlan(createdAt: number): boolean {
    return this.stored.some(({ at, isPlan }) => isPlan && at === createdAt);
  }

  /** Adds a bar. Without an outcome, an unfinished bar is `open`, and any other is `ok`. */
  add({ outcome, ...bar }: Omit<Bar, 'outcome'> & { readonly outcome?: BarOutcome }): void {
    this.bars.push({ ...bar, outcome: outcome ?? (bar.until === null ? 'open' : 'ok') });
  }

  hasBars(): boolean {
    return this.bars.length > 0 || this.opened.length > 0;
  }

  /** `endedAt`: when the run ended, null if it has not; open bars are cut there. */
  lane(endedAt: number | null, runState: string | undefined): Lane {
    const open = this.opened.map((each): Bar => ({ ...each, until: null, outcome: 'open' }));
    const outlives = this.type === 'FailureCallback' || endedAt === null;
    const bars = [...this.bars, ...open]
      .map((bar) => (outlives || bar.until !== null ? bar : cutAt(bar, endedAt)))
      .sort((one, other) => one.from - other.from || kindRank(one) - kindRank(other));
    const { key, name, type } = this;
    const state = this.stateOf(bars, runState);
    return { key, name, type, state, messageIds: [...this.messageIds], bars };
  }

  private stateOf(bars: readonly Bar[], runState: string | undefined): string {
    const open = bars.find(({ until }) => until === null);
    if (open !== undefined) return openStates[open.kind];
    const last = bars.findLast(({ kind }) => kind === 'attempt');
    if (this.type === 'Return') return 'STEP_SUCCESS';
    const isStored = this.stored.length > 0 && this.stored.at(-1)?.isPlan === false;
    const isOwn = this.type === 'FailureCallback' || this.type === '';
    if (isStored || (isOwn && last?.outcome === 'ok')) return 'STEP_SUCCESS';
    if (last?.outcome === 'failed') return 'STEP_FAILED';
    return runState === undefined ? 'STEP_PROGRESS' : 'STEP_CANCELED';
  }
}

const openStates: Readonly<Record<BarKind, string>> = {
  stored: 'STEP_SUCCESS',
  attempt: 'STEP_PROGRESS',
  queued: 'WAITING',
  retry: 'STEP_RETRY',
  sleep: 'sleeping',
  wait: 'waiting',
  invoke: 'invoking',
};

/** Bars that are drawn later are on top. */
const kindRank = ({ kind }: Bar) => (kind === 'stored' ? 2 : kind === 'attempt' ? 1 : 0);

function cutAt(bar: Bar, at: number): Bar {
  return { ...bar, until: Math.max(bar.from, at), outcome: 'canceled' };
}
