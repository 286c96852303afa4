/**
 * Messages under flow control over a simulated disk and a clock that stands still: with the real
 * engine, decider and gate. Attempts end when the test says so, and the power may fail between any
 * two steps.
 */

import { JournalClock } from '../../../src/engine/clock.js';
import type { Command } from '../../../src/engine/decider.js';
import { Engine } from '../../../src/engine/engine.js';
import { EventCodec } from '../../../src/engine/event-codec.js';
import { identifiersFrom } from '../../../src/engine/identifiers.js';
import { Journal, openJournalLog } from '../../../src/engine/journal.js';
import { replayJournal, resumeEffects } from '../../../src/engine/lifecycle/recovery.js';
import type { EffectCarrier, EffectSource } from '../../../src/engine/registration.js';
import { FlowControls } from '../../../src/messaging/flow-control/flow-control.entity.js';
import type { FlowControlState } from '../../../src/messaging/flow-control/flow-control.state.js';
import { FlowControlGate } from '../../../src/messaging/flow-control/flow-control-gate.js';
import { KeySweep } from '../../../src/messaging/flow-control/key-sweep.js';
import { CountingGate } from '../../../src/messaging/gates/counting-gate.js';
import type { Admission, Entrant } from '../../../src/messaging/gates/gate.js';
import { Gates } from '../../../src/messaging/gates/gates.js';
import type { CallEndpoint } from '../../../src/messaging/messages/message.decider.js';
import { Messages } from '../../../src/messaging/messages/message.entity.js';
import { messageKind } from '../../../src/messaging/messages/message.events.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { type CrashPolicy, SimulatedDisk } from '../../simulation/simulated-disk.js';
import { openSimulated, settle } from '../../storage/simulated-store.js';
import { ManualClock } from '../../support/manual-clock.js';
import { messageOptions } from '../../support/message-options.js';

/** Limits as a publish names them. */
export interface Limits {
  readonly parallelism: number | null;
  readonly rate: number | null;
  readonly periodSeconds: number;
}

/** An admitted attempt. */
export interface Start {
  readonly messageId: string;
  readonly key: string;
  readonly attempt: number;
  readonly at: number;
  readonly end: (status: number) => void;
}

export interface TrafficOptions {
  readonly globalParallelism: number;
  /** How many keys are kept, idle or not. */
  readonly keysKeptMax: number;
  /** Sees each start before it counts as running. */
  readonly onStart?: (start: Start, traffic: TrafficSimulation) => void;
}

const standard: TrafficOptions = { globalParallelism: 1000, keysKeptMax: 10_000 };

/** Counts messages of all lives, so that no id is used twice. */
let published = 0;

/** Attempts in flight at the end of a life are lost; what is on disk continues in the next one. */
export class TrafficSimulation {
  readonly running: Start[] = [];
  readonly started: Start[] = [];
  private remains: SimulatedDisk | null = null;

  private constructor(
    readonly engine: Engine,
    readonly messages: Messages,
    readonly controls: FlowControls,
    readonly gates: Gates,
    readonly clock: ManualClock,
    readonly gate: FlowControlGate,
    /** Records what must not happen: failed writes, turns that threw, refused reactions. */
    readonly failures: readonly unknown[],
    private readonly disk: SimulatedDisk,
    private readonly options: TrafficOptions,
  ) {}

  static async start(
    options: Partial<TrafficOptions> = {},
    disk = new SimulatedDisk(),
    startsAt?: number,
  ): Promise<TrafficSimulation> {
    const all = { ...standard, ...options };
    const clock = new ManualClock(startsAt);
    const after = (delayMs: number, callback: () => void) => clock.after(delayMs, callback);
    const watched: unknown[] = [];
    const { store } = await openSimulated(disk, {
      now: () => clock.now(),
      after,
      segmentBytes: 64 * 1024,
      onFailure: (error) => watched.push(error),
    });
    const codec = new EventCodec();
    const log = await openJournalLog(store);
    const journal = new Journal(log, codec);
    const random = new SeededRandom(clock.now() % 1_000_003);
    const identifiers = identifiersFrom((length) => random.bytes(length));
    const engine = new Engine(log, codec, new JournalClock(clock), identifiers, {
      turnFailed: (error) => watched.push(error),
      reactionRefused: (refused) => watched.push(refused),
    });
    const gates = new Gates();
    gates.add(new CountingGate('attempts', all.globalParallelism));
    const messages = new Messages(engine);
    const controls = new FlowControls(engine, messages);
    const gate = new FlowControlGate(engine, controls, gates, clock);
    const traffic = new TrafficSimulation(
      engine,
      messages,
      controls,
      gates,
      clock,
      gate,
      watched,
      disk,
      all,
    );
    traffic.join();
    await replayJournal(engine, journal);
    await resumeEffects(engine);
    await settle();
    return traffic;
  }

  /** Publishes under `key`; returns the id of the message. */
  publish(key: string, limits: Limits, delayMs = 0, maxRetries = 1): string {
    published += 1;
    const id = `msg_${published}`;
    this.ask({
      type: 'PublishMessage',
      kind: messageKind,
      id,
      body: Buffer.alloc(0),
      sharesBodyWith: null,
      message: messageOptions({
        flowControl: { key, ...limits },
        notBefore: this.clock.now() + delayMs,
        maxRetries,
        retryDelay: '1000',
      }),
    });
    return id;
  }

  ask<Cmd extends Omit<Command, 'at'>>(command: Cmd): void {
    this.engine.dispatchAndForget([{ ...command, at: this.clock.now() }]);
  }

  controlOf(key: string): FlowControlState {
    return this.controls.stateOf(key);
  }

  /** How many times the disk was synced. */
  get commits(): number {
    return this.disk.calls.get('sync') ?? 0;
  }

  /** Messages that are not final. */
  get pending(): number {
    return this.messages.size;
  }

  runningUnder(key: string): number {
    return this.running.filter((start) => start.key === key).length;
  }

  startsUnder(key: string): number {
    return this.started.filter((start) => start.key === key).length;
  }

  /** Lets time pass, timer by timer, with all consequences of each. */
  async pass(durationMs: number): Promise<void> {
    const until = this.clock.now() + durationMs;
    await settle();
    for (let next = this.clock.nextDue(); next !== null && next <= until; ) {
      this.clock.advance(Math.max(0, next - this.clock.now()));
      await settle();
      next = this.clock.nextDue();
    }
    this.clock.advance(until - this.clock.now());
    await settle();
  }

  /** The power fails now; the next life begins with what the policy leaves on disk. */
  crash(policy: CrashPolicy, seed: number): Promise<TrafficSimulation> {
    this.die(policy, seed);
    return this.afterDeath();
  }

  /** The power will fail at the `nth` change of the disk from now: in the middle of something. */
  crashAt(nth: number, policy: CrashPolicy, seed: number): void {
    let changes = 0;
    this.disk.afterChange = () => {
      changes += 1;
      if (changes === nth && !this.isDead) this.die(policy, seed);
    };
  }

  /** The power will not fail anymore. */
  keepPower(): void {
    this.disk.afterChange = null;
  }

  get isDead(): boolean {
    return this.remains !== null;
  }

  /** Begins the next life with what the power failure left on disk. */
  afterDeath(): Promise<TrafficSimulation> {
    return TrafficSimulation.start(this.options, this.remains ?? this.disk, this.clock.now());
  }

  private die(policy: CrashPolicy, seed: number): void {
    this.remains = this.disk.crash(policy, seed);
  }

  /** From now on, once a day. */
  looksForIdleKeys: () => void = () => undefined;

  private join(): void {
    const { engine, controls, gates, gate, clock } = this;
    gates.add(gate);
    controls.observe(gate.listener);
    const sweep = new KeySweep(engine, controls, gate, clock);
    this.looksForIdleKeys = () => sweep.start();
    sweep.keptMax = this.options.keysKeptMax;
    controls.observe(sweep.listener);
    const carrier: EffectCarrier<CallEndpoint> = {
      start: (source, effect) => this.call(source, effect),
    };
    engine.carry('callEndpoint', carrier);
  }

  private call(source: EffectSource, effect: CallEndpoint): () => void {
    const entrant: Entrant & { admission: Admission | null } = {
      admission: null,
      messageId: source.id,
      origin: effect.origin,
      domain: null,
      bodyBytes: 0,
      queueName: null,
      flowControlKey: effect.flowControlKey,
      admitted: () => this.begin(source, effect, () => entrant.admission),
    };
    const admission = this.gates.admit(entrant);
    entrant.admission = admission;
    return () => {
      if (!admission.isInside) this.gates.leave(admission);
    };
  }

  private begin(
    { id }: EffectSource,
    { attempt, flowControlKey }: CallEndpoint,
    admission: () => Admission | null,
  ): void {
    if (this.isDead) return;
    const at = this.clock.now();
    const start: Start = {
      messageId: id,
      key: flowControlKey ?? '',
      attempt,
      at,
      end: (status) => {
        this.running.splice(this.running.indexOf(start), 1);
        const own = admission();
        if (own !== null) this.gates.leave(own);
        this.ask({
          type: 'RecordAttempt',
          kind: messageKind,
          id,
          record: { attempt, startedAt: at, durationMs: 0, status, headers: [], error: null },
          nonRetryable: false,
          responseBody: Buffer.alloc(0),
          terms: [],
        });
      },
    };
    this.options.onStart?.(start, this);
    this.running.push(start);
    this.started.push(start);
  }
}
