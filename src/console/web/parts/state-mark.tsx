/** States by colour and shape: one look for one meaning, on every page. */

/** What a state means to its reader; `theme.css` defines the colours. */
export type Tone = 'ok' | 'busy' | 'wait' | 'bad' | 'idle';

type Shape = 'disc' | 'half' | 'ring' | 'triangle' | 'cross' | 'bars' | 'dash';

interface Look {
  readonly tone: Tone;
  readonly shape: Shape;
  readonly word: string;
}

const look = (tone: Tone, shape: Shape, word: string): Look => ({ tone, shape, word });

/** Every state that the server uses. */
const looks: Readonly<Record<string, Look>> = {
  pending: look('wait', 'ring', 'pending'),
  CREATED: look('idle', 'ring', 'created'),
  DELAYED: look('wait', 'ring', 'delayed'),
  WAITING: look('wait', 'ring', 'waiting'),
  ACTIVE: look('busy', 'half', 'in flight'),
  RETRY: look('wait', 'triangle', 'retry'),
  ERROR: look('bad', 'triangle', 'error'),
  DELIVERED: look('ok', 'disc', 'delivered'),
  FAILED: look('bad', 'cross', 'failed'),
  CANCEL_REQUESTED: look('idle', 'dash', 'canceling'),
  CANCELED: look('idle', 'dash', 'canceled'),
  RUN_STARTED: look('busy', 'half', 'started'),
  RUN_SUCCESS: look('ok', 'disc', 'succeeded'),
  RUN_FAILED: look('bad', 'cross', 'failed'),
  RUN_CANCELED: look('idle', 'dash', 'canceled'),
  STEP_CANCELED: look('idle', 'dash', 'canceled'),
  running: look('busy', 'half', 'running'),
  calling: look('busy', 'half', 'calling'),
  invoking: look('busy', 'half', 'invoking'),
  waiting: look('wait', 'ring', 'waiting'),
  sleeping: look('wait', 'bars', 'sleeping'),
  succeeded: look('ok', 'disc', 'succeeded'),
  failed: look('bad', 'cross', 'failed'),
  canceled: look('idle', 'dash', 'canceled'),
  STEP_PROGRESS: look('busy', 'half', 'in progress'),
  STEP_RETRY: look('wait', 'triangle', 'retry'),
  STEP_SUCCESS: look('ok', 'disc', 'done'),
  STEP_FAILED: look('bad', 'cross', 'failed'),
  QUEUED: look('wait', 'ring', 'queued'),
  RUNNING: look('busy', 'half', 'running'),
  DONE: look('ok', 'disc', 'done'),
  ABORTED: look('idle', 'dash', 'aborted'),
  PAUSED: look('wait', 'bars', 'paused'),
  ON: look('ok', 'disc', 'on'),
  WARNING: look('wait', 'triangle', 'warning'),
  DAMAGED: look('bad', 'cross', 'damaged'),
};

/** A state that is not in the table gets a neutral look with its own word. */
export function lookOf(state: string): Look {
  return looks[state] ?? look('idle', 'ring', state.toLowerCase().replaceAll('_', ' '));
}

const texts: Readonly<Record<Tone, string>> = {
  ok: 'text-ok',
  busy: 'text-busy',
  wait: 'text-wait',
  bad: 'text-bad',
  idle: 'text-idle',
};

/** For bars and dots, which are not text. */
export const barColours: Readonly<Record<Tone, string>> = {
  ok: 'bg-ok-bar',
  busy: 'bg-busy-bar',
  wait: 'bg-wait-bar',
  bad: 'bg-bad-bar',
  idle: 'bg-idle-bar',
};

const tints: Readonly<Record<Tone, string>> = {
  ok: 'bg-ok-tint text-ok',
  busy: 'bg-busy-tint text-busy',
  wait: 'bg-wait-tint text-wait',
  bad: 'bg-bad-tint text-bad',
  idle: 'bg-idle-tint text-idle',
};

const shapes: Readonly<Record<Shape, React.ReactNode>> = {
  disc: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  ring: <circle cx="6" cy="6" r="3.75" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  half: (
    <>
      <circle cx="6" cy="6" r="3.75" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M6 2.25a3.75 3.75 0 0 1 0 7.5z" fill="currentColor" />
    </>
  ),
  triangle: <path d="M6 1.5 11 10.5H1z" fill="currentColor" />,
  cross: <path d="m2.5 2.5 7 7m0-7-7 7" stroke="currentColor" strokeWidth="2.25" />,
  bars: <path d="M4 2v8m4-8v8" stroke="currentColor" strokeWidth="2.25" />,
  dash: <path d="M2 6h8" stroke="currentColor" strokeWidth="2.25" />,
};

/** Only the shape, for use beside another word. */
export function StateShape({ of }: { readonly of: string }) {
  const { tone, shape } = lookOf(of);
  return (
    <svg viewBox="0 0 12 12" className={`size-3 shrink-0 ${texts[tone]}`} aria-hidden="true">
      {shapes[shape]}
    </svg>
  );
}

interface StateProps {
  readonly of: string;
  readonly word?: string;
  /** On a phone, only its shape is shown. */
  readonly isShapeOnPhone?: boolean;
}

/** A state as shape and word: `<State of="DELIVERED" />`. */
export function State({ of, word, isShapeOnPhone }: StateProps) {
  const { tone, word: usual } = lookOf(of);
  const said = word ?? usual;
  const place = isShapeOnPhone === true ? 'align-bottom max-sm:align-middle' : 'align-bottom';
  return (
    <span className={`inline-flex items-center gap-1.5 ${place} whitespace-nowrap ${texts[tone]}`}>
      <StateShape of={of} />
      {isShapeOnPhone === true ? <span className="max-sm:sr-only">{said}</span> : said}
    </span>
  );
}

/** A state in the header of a page. */
export function StateBadge({ of, word }: { readonly of: string; readonly word?: string }) {
  return (
    <span className={`rounded-full px-2.5 py-0.5 ${tints[lookOf(of).tone]}`}>
      <State of={of} {...(word !== undefined && { word })} />
    </span>
  );
}
