/**
 * A run as memory holds it: its life, and beside it what grows with its steps. Bodies and headers
 * stay in the journal; a run that sleeps costs some hundred bytes.
 */
import { Packr } from 'msgpackr';
import type { EventEnvelope, StatePacking } from '../../engine/decider.js';
import { machineEvolve } from '../../engine/machine-evolve.js';
import { EntryList } from './entry-list.js';
import {
  initialStep,
  type OpenCall,
  type OpenInvocation,
  type OpenWait,
  type RunEntry,
  type RunEvent,
  type RunStarted,
  type StepInfo,
  type StoredNotification,
} from './run.events.js';
import { type RunContext, type RunLife, runMachine, startedContext } from './run.machine.js';

export interface RunState {
  readonly life: RunLife;
  readonly entries: EntryList;
  readonly calls: readonly OpenCall[];
  readonly waits: readonly OpenWait[];
  readonly notifications: readonly StoredNotification[];
  readonly invocations: readonly OpenInvocation[];
}

const machine = machineEvolve(runMachine);

const absent: RunState = {
  life: machine.initialState(),
  entries: EntryList.of([]),
  calls: [],
  waits: [],
  notifications: [],
  invocations: [],
};

export function initialRun(): RunState {
  return absent;
}

export function isActive({ life }: RunState): boolean {
  return life.value === 'active';
}

export function isFinalRun({ life }: RunState): boolean {
  return machine.isFinal(life);
}

export function evolveRun(
  state: RunState,
  event: RunEvent,
  { at, offset }: Pick<EventEnvelope, 'at' | 'offset'>,
): RunState {
  const id = 'step' in event ? event.step.id : -1;
  switch (event.type) {
    case 'StepStored':
      return {
        ...appended(state, event, offset),
        calls: without(state.calls, id),
      };
    case 'CallRequested':
      return {
        ...state,
        calls: [...state.calls, { step: event.step, messageId: event.messageId }],
      };
    case 'WaitOpened': {
      const { step, eventId, deadline } = event;
      return { ...state, waits: [...state.waits, { step, eventId, deadline, offset }] };
    }
    case 'WaitEnded':
      return {
        ...appended(state, event, offset),
        waits: without(state.waits, id),
        notifications: taken(state.notifications, event.notificationOffset),
      };
    case 'NotificationStored': {
      const { eventId, bytes, isCall } = event;
      const stored = { eventId, offset, bytes, ...(isCall && { isCall }) };
      return { ...state, notifications: [...state.notifications, stored] };
    }
    case 'StepInvoked': {
      const { step, runId, messageId } = event;
      return { ...state, invocations: [...state.invocations, { step, runId, messageId }] };
    }
    case 'InvocationEnded':
      return {
        ...appended(state, event, offset),
        invocations: without(state.invocations, id),
      };
    case 'RunStarted':
      return started({ ...state, life: begun(state.life, event, at, offset) }, event, offset);
    case 'RunReconfigured': {
      const { life } = lived(state, event, at, offset);
      return restarted({ ...state, life: activeLife(sharing(life.context)) }, event.messageId);
    }
    default:
      return lived(state, event, at, offset);
  }
}

/**
 * As the machine begins a life, in a tenth of its time: a restart begins that of every run. A start
 * of what has begun is the machine's to judge.
 */
function begun(life: RunLife, event: RunStarted, at: number, offset: number): RunLife {
  return life === absent.life
    ? activeLife(sharing(startedContext({ ...event, at, offset })))
    : machine.evolve(life, { ...event, at, offset });
}

function lived(state: RunState, event: RunEvent, at: number, offset: number): RunState {
  return { ...state, life: machine.evolve(state.life, { ...event, at, offset }) };
}

function started(state: RunState, event: RunStarted, offset: number): RunState {
  const { inherited, messageId, payloadBytes: bytes } = event;
  if (inherited === null) {
    const initial = { messageId, offset, step: initialStep, bytes };
    return { ...state, entries: EntryList.of([initial]) };
  }
  const { entries, calls, waits, notifications, invocations } = inherited;
  return { ...state, entries: EntryList.of(entries), calls, waits, notifications, invocations };
}

/** The initial entry is delivered anew, and so it is named after its new message. */
function restarted(state: RunState, messageId: string): RunState {
  const [initial, ...later] = state.entries.toArray();
  return initial === undefined
    ? state
    : { ...state, entries: EntryList.of([{ ...initial, messageId }, ...later]) };
}

function appended(
  state: RunState,
  { messageId, step, bytes }: Pick<RunEntry, 'messageId' | 'step' | 'bytes'>,
  offset: number,
): RunState {
  return { ...state, entries: state.entries.append({ messageId, offset, step, bytes }) };
}

function without<Open extends { readonly step: StepInfo }>(
  open: readonly Open[],
  stepId: number,
): readonly Open[] {
  return open.length === 0 ? open : open.filter(({ step }) => step.id !== stepId);
}

function taken(
  notifications: readonly StoredNotification[],
  offset: number | null,
): readonly StoredNotification[] {
  return notifications.length === 0
    ? notifications
    : notifications.filter((stored) => stored.offset !== offset);
}

/** What the runs of one workflow mostly have in common: they share one object. */
type Common = Pick<RunContext, 'terms' | 'url' | 'callerIp'>;

const commons = new Map<string, Common>();
const commonsMax = 1000;

function sharing(context: RunContext): RunContext {
  const { terms, url, callerIp } = context;
  const key = JSON.stringify([terms, url, callerIp]);
  let common = commons.get(key);
  if (common === undefined) {
    if (commons.size >= commonsMax) commons.clear();
    common = { terms, url, callerIp };
    commons.set(key, common);
  }
  return { ...context, ...common };
}

const anyActiveLife = runMachine.resolveState({ value: 'active', context: absent.life.context });

function activeLife(context: RunContext): RunLife {
  return { ...anyActiveLife, context };
}

interface PackedRun {
  readonly common: Common;
  /** Everything else, a `Remainder`. */
  readonly bytes: Buffer;
}

type Remainder = readonly [
  context: Omit<RunContext, keyof Common>,
  entries: readonly RunEntry[],
  ...lists: readonly [
    calls: readonly OpenCall[],
    waits: readonly OpenWait[],
    notifications: readonly StoredNotification[],
    invocations: readonly OpenInvocation[],
  ],
];

/** It keeps the shapes that it packs; only it reads those bytes, and they are never stored. */
const packr = new Packr({ structures: [] });

/** Only active runs are ever packed: the others are absent or final. */
export const runPacking: StatePacking<RunState, PackedRun> = {
  pack({ life, entries, calls, waits, notifications, invocations }) {
    const { terms, url, callerIp, ...context } = life.context;
    const lists = [calls, waits, notifications, invocations] as const;
    const remainder: Remainder = [context, entries.toArray(), ...lists];
    return { common: { terms, url, callerIp }, bytes: packr.pack(remainder) };
  },
  unpack({ common, bytes }) {
    const [context, entries, calls, waits, notifications, invocations]: Remainder =
      packr.unpack(bytes);
    const life = activeLife({ ...context, ...common });
    return { life, entries: EntryList.of(entries), calls, waits, notifications, invocations };
  },
};
