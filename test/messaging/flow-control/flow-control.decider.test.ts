import fc from 'fast-check';
import type { Command } from '../../../src/engine/decider.js';
import type { FlowControlCommand } from '../../../src/messaging/flow-control/flow-control.commands.js';
import { flowControlDecider } from '../../../src/messaging/flow-control/flow-control.decider.js';
import type {
  FlowControlEvent,
  FlowControlLimited,
  FlowControlPinned,
  GrantsReserved,
} from '../../../src/messaging/flow-control/flow-control.events.js';
import { epochMs, given } from '../../support/given.js';

const at = epochMs + 10_000;
const address = { kind: 'flow-control', id: 'it', at } satisfies Omit<Command, 'type'>;
const noPending = { pendingOf: () => 0 };

const limits = { parallelism: 2, rate: 5, periodSeconds: 60 };
const limited: FlowControlLimited = { type: 'FlowControlLimited', ...limits };
const paused: FlowControlEvent = { type: 'FlowControlPaused' };
const pinned: FlowControlPinned = {
  type: 'FlowControlPinned',
  ...limits,
  isPinnedParallelism: true,
  isPinnedRate: true,
};
const reserved = (changes: Partial<GrantsReserved> = {}): GrantsReserved => ({
  type: 'GrantsReserved',
  ordinal: 1,
  startedAt: at - 1000,
  reserved: 3,
  ...changes,
});

type CommandFields = FlowControlCommand extends infer Each extends FlowControlCommand
  ? Each extends FlowControlCommand
    ? Omit<Each, 'kind' | 'id' | 'at'>
    : never
  : never;

const when = (fields: CommandFields, ...history: FlowControlEvent[]) =>
  given(flowControlDecider, noPending, ...history).when({ ...address, ...fields });

const named = (changes: Partial<typeof limits> | { rate: null } = {}): CommandFields => ({
  type: 'NameFlowControl',
  limits: { ...limits, ...changes },
});
const pin = (changes: Partial<typeof limits>): CommandFields => ({
  type: 'PinFlowControl',
  parallelism: null,
  rate: null,
  periodSeconds: null,
  ...changes,
});

describe('a flow-control key that is named by a publish', () => {
  it('takes its limits the first time', () => {
    expect(when(named()).events).toEqual([limited]);
  });

  it('causes no event when it is named with the same limits again', () => {
    expect(when(named(), limited).events).toEqual([]);
  });

  it('takes the limits of the last publish', () => {
    expect(when(named({ rate: null }), limited).events).toEqual([{ ...limited, rate: null }]);
    expect(when(named({ periodSeconds: 1 }), limited).events).toEqual([
      { ...limited, periodSeconds: 1 },
    ]);
  });

  it('keeps pinned limits and takes the others', () => {
    const { events } = when(named({ parallelism: 9, rate: 9 }), {
      ...pinned,
      isPinnedRate: false,
    });
    expect(events).toEqual([{ ...limited, rate: 9 }]);
    expect(when(named({ parallelism: 9, rate: 9 }), pinned).events).toEqual([]);
  });

  it('keeps the count of its window when the rate changes', () => {
    const { state } = when(named({ rate: 9 }), limited, reserved());
    expect(state).toMatchObject({ rate: 9, window: { ordinal: 1, reserved: 3 } });
  });
});

describe('pinning', () => {
  it('creates a key that no message has named', () => {
    expect(when(pin({ parallelism: 3 })).events).toEqual([
      {
        type: 'FlowControlPinned',
        parallelism: 3,
        rate: null,
        periodSeconds: 1,
        isPinnedParallelism: true,
        isPinnedRate: false,
      },
    ]);
  });

  it.each([
    ['the rate', { rate: 9 }, { rate: 9, isPinnedRate: true, isPinnedParallelism: false }],
    ['the period', { periodSeconds: 9 }, { periodSeconds: 9, isPinnedRate: true }],
    ['the parallelism', { parallelism: 9 }, { parallelism: 9, isPinnedRate: false }],
  ])('fixes %s and leaves the other limits unchanged', (_what, effect, expected) => {
    expect(when(pin(effect), limited).events).toEqual([expect.objectContaining(expected)]);
    expect(when(pin(effect), limited).state).toMatchObject({ ...limits, ...effect });
  });

  it('adds to the limits that are pinned already', () => {
    const { events } = when(pin({ rate: 9 }), { ...pinned, isPinnedRate: false });
    expect(events).toEqual([{ ...pinned, rate: 9 }]);
  });

  it('begins a new window, from zero', () => {
    const { state } = when(pin({ rate: 9 }), limited, reserved({ ordinal: 7 }));
    expect(state?.window).toMatchObject({ ordinal: 8, reserved: 0 });
  });
});

describe('unpinning', () => {
  it('releases the named limits, which stay as they are until the next publish', () => {
    const { events, state } = when(
      { type: 'UnpinFlowControl', parallelism: true, rate: false },
      pinned,
    );
    expect(events).toEqual([
      { type: 'FlowControlUnpinned', isPinnedParallelism: false, isPinnedRate: true },
    ]);
    expect(state).toMatchObject(limits);
  });

  it('changes nothing for a key without pins', () => {
    const fields: CommandFields = { type: 'UnpinFlowControl', parallelism: true, rate: true };
    expect(when(fields, limited).events).toEqual([]);
  });
});

describe('the controls of a key', () => {
  it.each<CommandFields>([
    { type: 'PauseFlowControl' },
    { type: 'ResumeFlowControl' },
    { type: 'ResetRate' },
    { type: 'UnpinFlowControl', parallelism: true, rate: true },
  ])('are refused if the key is unknown: $type', (fields) => {
    expect(when(fields).rejected).toEqual({
      code: 'not_found',
      message: 'flow-control key it not found',
    });
  });

  it('pause it once and resume it once', () => {
    expect(when({ type: 'PauseFlowControl' }, limited).events).toEqual([paused]);
    expect(when({ type: 'PauseFlowControl' }, paused).events).toEqual([]);
    expect(when({ type: 'ResumeFlowControl' }, paused).events).toEqual([
      { type: 'FlowControlResumed' },
    ]);
    expect(when({ type: 'ResumeFlowControl' }, limited).events).toEqual([]);
  });
});

describe('resetting the rate', () => {
  it('counts from zero in a window that begins now', () => {
    const { events, state } = when({ type: 'ResetRate' }, limited, reserved());
    expect(events).toEqual([{ type: 'RateReset' }]);
    expect(state?.window).toEqual({ ordinal: 2, startedAt: epochMs + 2000, reserved: 0 });
  });
});

describe('reserving grants', () => {
  const reserve = (waiting: number): CommandFields => ({ type: 'ReserveGrants', waiting });

  it('opens the first window', () => {
    const { events, result } = when(reserve(2), limited);
    expect(events).toEqual([{ type: 'GrantsReserved', ordinal: 1, startedAt: at, reserved: 2 }]);
    expect(result).toEqual({ ordinal: 1, first: 0, end: 2 });
  });

  it('continues in an open window, up to its rate', () => {
    const { events, result } = when(reserve(9), limited, reserved());
    expect(events).toEqual([reserved({ reserved: 5 })]);
    expect(result).toEqual({ ordinal: 1, first: 3, end: 5 });
  });

  it('grants nothing more when the window is full', () => {
    const { events, result } = when(reserve(9), limited, reserved({ reserved: 5 }));
    expect(events).toEqual([]);
    expect(result).toEqual({ ordinal: 1, first: 5, end: 5 });
  });

  it('opens the next window when the period has passed', () => {
    const { events } = when(reserve(1), limited, reserved({ startedAt: at - 60_000 }));
    expect(events).toEqual([reserved({ ordinal: 2, startedAt: at, reserved: 1 })]);
  });

  it('grants nothing while a rate that was lowered is overspent', () => {
    const history = [limited, reserved({ reserved: 5 }), { ...limited, rate: 2 }];
    expect(when(reserve(1), ...history).result).toEqual({ ordinal: 1, first: 5, end: 5 });
  });

  it('reserves at most 64, but more than are waiting if the rate is high', () => {
    const fast = { ...limited, rate: 100_000 };
    expect(when(reserve(1000), fast).result).toMatchObject({ end: 64 });
    expect(when(reserve(1), fast).result).toMatchObject({ end: 64 });
    expect(when(reserve(1), { ...limited, rate: 160 }).result).toMatchObject({ end: 10 });
  });

  it('grants nothing to a key whose rate is no longer limited', () => {
    expect(when(reserve(1), { ...limited, rate: null }).events).toEqual([]);
  });
});

describe('forgetting', () => {
  const forget: CommandFields = { type: 'ForgetFlowControl' };

  it('removes everything about an idle key', () => {
    const { events, state, isFinal } = when(forget, limited, reserved({ startedAt: at - 60_000 }));
    expect(events).toEqual([{ type: 'FlowControlForgotten' }]);
    expect(state).toBeNull();
    expect(isFinal).toBe(true);
  });

  it.each([
    ['that is paused', [limited, paused]],
    ['that is pinned', [pinned]],
    ['whose window is open', [limited, reserved()]],
    ['that was never used', []],
  ])('keeps a key %s', (_which, history) => {
    expect(when(forget, ...history).events).toEqual([]);
  });

  it('keeps a key that a pending message names', () => {
    const { events } = given(flowControlDecider, { pendingOf: () => 1 }, limited).when({
      ...address,
      type: 'ForgetFlowControl',
    });
    expect(events).toEqual([]);
  });
});

describe('any history of commands', () => {
  const small = fc.integer({ min: 1, max: 4 });
  const maybe = fc.option(small, { nil: null });
  const command: fc.Arbitrary<CommandFields> = fc.oneof(
    fc
      .record({ parallelism: maybe, rate: maybe, periodSeconds: small })
      .map((fields) => ({ type: 'NameFlowControl' as const, limits: fields })),
    fc
      .record({ parallelism: maybe, rate: maybe, periodSeconds: maybe })
      .map((fields) => ({ type: 'PinFlowControl' as const, ...fields })),
    fc
      .record({ parallelism: fc.boolean(), rate: fc.boolean() })
      .map((fields) => ({ type: 'UnpinFlowControl' as const, ...fields })),
    fc.constantFrom<CommandFields>(
      { type: 'PauseFlowControl' },
      { type: 'ResumeFlowControl' },
      { type: 'ResetRate' },
      { type: 'ForgetFlowControl' },
    ),
    fc.nat(100).map((waiting) => ({ type: 'ReserveGrants' as const, waiting })),
  );

  it('reserves no more of a window than the highest rate it had', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(command, fc.nat(3000)), { maxLength: 40 }), (steps) => {
        let state = flowControlDecider.initialState();
        let now = epochMs;
        for (const [fields, passes] of steps) {
          now += passes;
          const decision = flowControlDecider.decide(
            { ...address, ...fields, at: now },
            state,
            noPending,
          );
          // Only commands for an unknown key are refused.
          if (!decision.ok) {
            expect([decision.code, state]).toEqual(['not_found', null]);
            continue;
          }
          for (const event of decision.events) {
            if (event.type === 'GrantsReserved') {
              expect(event.reserved).toBeLessThanOrEqual(state?.rate ?? 0);
              expect(Math.abs(now - event.startedAt)).toBeLessThan(
                (state?.periodSeconds ?? 0) * 1000,
              );
            }
            state = flowControlDecider.evolve(state, event, {
              ...address,
              at: now,
              sequence: 0,
              offset: 0,
              previous: -1,
              by: null,
              event,
              body: null,
              byteLength: 0,
            });
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
