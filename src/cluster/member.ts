/** How one node of a cluster uses the shared log: it follows, claims, owns and stands down. */
import { AcknowledgedEntriesMissing } from './cluster-errors.js';
import type { AppendOutcome, ReadEntries, SharedLogEntry } from './commit-log.js';
import { type Entry, EntryRoom, partBytesMax, partsOf } from './entry.js';
import { Flight, partEntries } from './flight.js';
import type { MemberAction, MemberOptions } from './member-actions.js';
import { emptyHistory, type HistoryState, SharedHistory, type Verdict } from './shared-history.js';
import { Silence } from './silence.js';

type Role = 'follower' | 'owner' | 'resyncing' | 'stopped';

/**
 * Has no I/O and no timers (ADR 63). The caller reports each event with the time of its monotonic
 * clock, in ms, and carries out the returned actions in order.
 */
export class ClusterMember {
  private history: SharedHistory;
  private role: Role = 'follower';
  /** The epoch of the last claim by this life that took the log. */
  private epoch = 0;
  private flight: Flight | null = null;
  private readonly room = new EntryRoom();
  private sends = 0;
  /** The read in flight: when it began, and the next place to fold at that time. */
  private reading: { readonly since: number; readonly from: number } | null = null;
  private readonly silence: Silence;
  /** When the last append that counts was first sent. */
  private provedAt = Number.NEGATIVE_INFINITY;
  private serveFrom = Number.POSITIVE_INFINITY;
  private isLeaving = false;
  private readonly actions: MemberAction[] = [];

  constructor(
    private readonly options: MemberOptions,
    now: number,
    state: HistoryState = emptyHistory,
  ) {
    this.history = new SharedHistory(options.rules, state);
    this.silence = new Silence(now);
  }

  get state(): HistoryState {
    return this.history.state;
  }

  get isOwner(): boolean {
    return this.role === 'owner';
  }

  /**
   * Whether requests may be taken and answered. A new owner does neither until the proof of the
   * previous owner has expired: until then, a read there would not show what is written here.
   */
  mayServe(now: number): boolean {
    return this.isOwner && now >= this.serveFrom;
  }

  /** Whether a batch may be submitted now; only one append is in flight at a time. */
  maySubmit(now: number): boolean {
    return this.mayServe(now) && this.flight === null;
  }

  /** Whether effects may start and reads may be answered right now: check just before each one. */
  mayAct(now: number): boolean {
    const { rules, times } = this.options;
    return this.mayServe(now) && rules.isProof(now - this.provedAt, times);
  }

  /** How long a follower has not heard the owner, or an owner has not proved its ownership. */
  silentMs(now: number): number {
    return this.isOwner ? now - this.provedAt : this.silence.ms(now);
  }

  /** Begins to commit a batch; call it only while `maySubmit` is true. */
  submit(body: Buffer, now: number): MemberAction[] {
    if (!this.maySubmit(now)) throw new Error('only an owner without a batch under way may submit');
    const { sequence, checksum: previous, ...head } = this.lastBatch;
    const parts = partsOf(body, this.options.partBytes ?? partBytesMax);
    this.begin(partEntries({ sequence: sequence + 1, previous, ...head }, parts), now);
    return this.drained();
  }

  /** Releases the log, so that another node claims it at once; only while `maySubmit`. */
  release(now: number): MemberAction[] {
    if (!this.maySubmit(now)) throw new Error('only an owner with nothing under way may release');
    this.isLeaving = true;
    this.role = 'follower';
    this.begin([{ kind: 'release', ...this.lastBatch }], now);
    return this.drained();
  }

  /** Does what is due: claims, beats, retries, reads. Call it a few times per beat interval. */
  tick(now: number): MemberAction[] {
    this.silence.ticked(now);
    if (!this.isFollowing) return [];
    const { times } = this.options;
    const isSilent = this.role === 'follower' && this.isSilent(now);
    const isClaiming = this.flight?.entry.kind === 'claim' && !this.flight.isWaiting;
    if (isClaiming && !isSilent) this.flight = null;
    const { flight } = this;
    if (flight !== null) {
      if (flight.isDue(now, times.retryMs)) this.send(flight, now);
      if (!flight.isWaiting) this.read(now);
    } else if (isSilent && this.options.mayClaim?.() !== false) this.claim(now);
    else if (this.isOwner && now - this.provedAt >= times.beatMs) {
      this.begin([{ kind: 'heartbeat', ...this.lastBatch }], now);
    }
    if (this.role === 'follower') this.read(now);
    return this.drained();
  }

  /** Reports the outcome of a send. Outcomes of earlier sends and repeated reports are ignored. */
  appendEnded(send: number, outcome: AppendOutcome, now: number): MemberAction[] {
    const { flight } = this;
    if (flight === null || flight.send !== send || !flight.isWaiting) return [];
    const { expected } = flight;
    if (outcome.kind !== 'stored') {
      flight.failed(now);
      this.read(now);
    } else if (outcome.place < expected) {
      this.stop(outcome.place, `an append landed there, the log was read up to ${expected}`);
    } else if (
      this.options.rules.provesByItself(expected, outcome.place) &&
      this.state.next === expected
    ) {
      this.settled(this.history.accept(expected, outcome.at, flight.entry), flight, now);
    } else {
      flight.landed(outcome.place);
      this.read(now);
    }
    return this.drained();
  }

  /** Reports the result of a read. */
  readEnded({ start, end, entries }: ReadEntries, now: number): MemberAction[] {
    const { reading } = this;
    this.reading = null;
    if (reading === null || !this.isFollowing) return [];
    if (end < reading.from) {
      this.stop(end, `the log ends there, it was read up to ${reading.from}`);
    } else if (entries.length === 0 && start > this.state.next) {
      this.resync(start);
    } else {
      // If the log skips a place, folding the first entry shows it.
      for (const entry of entries) {
        if (entry.place >= this.state.next && this.isFollowing) this.foldRead(entry, now);
      }
      if (entries.length === 0) this.silence.readAll(reading.since);
      this.judgeLanded(now);
    }
    return this.drained();
  }

  /** Reports that a read failed: it says nothing about the log. */
  readFailed(): void {
    this.reading = null;
  }

  /** Continues from the state that another node has folded, after a `resync`. */
  restore(state: HistoryState, now: number): void {
    this.history = new SharedHistory(this.options.rules, state);
    this.role = 'follower';
    this.silence.heard(now);
  }

  private get isFollowing(): boolean {
    return this.role === 'follower' || this.role === 'owner';
  }

  /** Whether no owner was heard for too long, and a read begun after that found none either. */
  private isSilent(now: number): boolean {
    if (this.isLeaving) return false;
    const { times, jitterMs } = this.options;
    const ms = this.state.owner === null ? 0 : times.silenceMs + jitterMs;
    return this.silence.hasLasted(ms, now);
  }

  private claim(now: number): void {
    const { life, name: node } = this.options;
    const { epoch, next: after } = this.state;
    this.begin([{ kind: 'claim', epoch: epoch + 1, life, after, node }], now);
  }

  /** The fields of a heartbeat and of a release. */
  private get lastBatch() {
    const { next: after, sequence, checksum } = this.state;
    return { epoch: this.epoch, life: this.options.life, after, sequence, checksum };
  }

  private begin(entries: [Entry, ...Entry[]], now: number): void {
    this.flight = new Flight(entries, this.room);
    this.send(this.flight, now);
  }

  private send(flight: Flight, now: number): void {
    const expected = this.state.next;
    this.sends += 1;
    flight.sent(this.sends, expected, now);
    this.actions.push({ kind: 'append', send: this.sends, expected, bytes: flight.bytes });
  }

  private read(now: number): void {
    if (this.reading !== null) return;
    const from = this.state.next;
    this.reading = { since: now, from };
    this.actions.push({ kind: 'read', from });
  }

  private foldRead(entry: SharedLogEntry, now: number): void {
    const { flight } = this;
    const isOwn = flight?.bytes.equals(entry.bytes) === true;
    let verdict: Verdict;
    try {
      verdict = this.history.fold(entry);
    } catch (error) {
      if (!(error instanceof AcknowledgedEntriesMissing)) throw error;
      this.halt(error);
      return;
    }
    if (verdict.kind === 'hole') this.resync(entry.place);
    else if (isOwn && flight !== null && verdict.kind !== 'ignored') {
      this.settled(verdict, flight, now);
    } else this.folded(verdict, now);
  }

  /** Handles an entry that this node has in flight and that counts. */
  private settled(verdict: Verdict, flight: Flight, now: number): void {
    this.provedAt = flight.sentAt;
    this.flight = null;
    if (verdict.kind === 'counted') {
      this.actions.push({ kind: 'counted', batch: verdict.batch, isOwn: true });
    } else if (verdict.kind === 'claimed') this.take(verdict);
    else if (verdict.kind === 'released') this.actions.push({ kind: 'released' });
    if (flight.advance()) {
      this.flight = flight;
      this.send(flight, now);
    }
  }

  /** Handles an entry that this node does not have in flight, or no longer has. */
  private folded(verdict: Verdict, now: number): void {
    if (verdict.kind === 'ignored') return;
    if (verdict.kind === 'claimed') {
      if (this.flight?.entry.kind === 'claim') this.flight = null;
      // A late claim of this life: the node had abandoned it, but it took the log all the same.
      if (verdict.owner === this.options.life) this.take(verdict);
    } else if (verdict.kind === 'counted') {
      this.actions.push({ kind: 'counted', batch: verdict.batch, isOwn: false });
    }
    this.silence.heard(now);
    if (this.isOwner && this.options.rules.standsDown(this.state, this.epoch)) this.standDown();
  }

  private take({ epoch, isVacant }: Extract<Verdict, { readonly kind: 'claimed' }>): void {
    const { rules, times } = this.options;
    this.role = 'owner';
    this.epoch = epoch;
    // An owner that released the log had stopped serving before.
    const { heardAt } = this.silence;
    this.serveFrom = isVacant ? heardAt : rules.servesFrom(heardAt, times);
    this.actions.push({ kind: 'took', epoch });
  }

  private standDown(): void {
    this.role = 'follower';
    this.flight = null;
    this.actions.push({ kind: 'stood-down' });
  }

  /** Judges an append that landed elsewhere: by now it is settled, void or missing. */
  private judgeLanded(now: number): void {
    const { flight } = this;
    if (flight?.place == null || !this.isFollowing) return;
    if (this.state.next <= flight.place) this.read(now);
    else if (this.isOwner) this.stop(flight.place, 'it does not hold what was acknowledged there');
    else this.flight = null;
  }

  private resync(start: number): void {
    if (this.isOwner) this.standDown();
    this.flight = null;
    this.role = 'resyncing';
    this.actions.push({ kind: 'resync', start });
  }

  private stop(place: number, reason: string): void {
    this.halt(new AcknowledgedEntriesMissing(place, reason));
  }

  private halt(error: AcknowledgedEntriesMissing): void {
    this.flight = null;
    this.role = 'stopped';
    this.actions.push({ kind: 'stop', error });
  }

  private drained(): MemberAction[] {
    return this.actions.splice(0);
  }
}
