/**
 * Admission of attempts before their endpoints are called. All gates are tested together. An
 * attempt that is refused holds nothing and waits in the line of the gate that refused it, oldest
 * first. Everything happens synchronously in memory: after a restart nothing runs, and every effect
 * is started again.
 */
import { Injectable } from '@nestjs/common';
import type { Gate, Line } from './gate.js';
import { Admission, type Entrant, type GateName, gateNames } from './gate.js';
import type { GateWait } from './obstacle.js';

/**
 * One instance per server. It calls `admitted` of an entrant once, within `admit` or later, but
 * never after `leave` or `close`.
 */
@Injectable()
export class Gates {
  private nextTicket = 0;
  private inside = 0;
  private parked = 0;
  /** How many attempts are parked at each gate. */
  private readonly parkedAt = new Map<GateName, number>();
  /** How many lines of each gate hold waiting attempts. */
  private readonly linesAt = new Map<GateName, number>();
  private readonly unserved: Line[] = [];
  private isServing = false;
  private isClosed = false;
  /** All gates, in the order of `gateNames`. */
  private readonly gates: Gate[] = [];

  /** Adds gates; must be called before the first attempt. */
  add(...gates: readonly Gate[]): void {
    this.gates.push(...gates);
    this.gates.sort((one, other) => gateNames.indexOf(one.name) - gateNames.indexOf(other.name));
  }

  /** `line` may continue for another reason than a departed attempt: a limit, a new window. */
  reopen(line: Line): void {
    this.unserved.push(line);
    this.serve();
  }

  /** Attempts that were admitted and have not left. */
  get running(): number {
    return this.inside;
  }

  /** Attempts that wait in a line. */
  get waiting(): number {
    return this.parked;
  }

  /** Attempts that wait, by the gate that refused them; gates without any are absent. */
  get waitingAt(): ReadonlyMap<GateName, number> {
    return this.parkedAt;
  }

  /** How many lines of a gate hold waiting attempts: how many queues, or keys, are blocked. */
  blockedAt(name: GateName): number {
    return this.linesAt.get(name) ?? 0;
  }

  /** Admits `entrant`, now (`admitted` is called before this returns) or once its gates open. */
  admit(entrant: Entrant): Admission {
    const admission = new Admission(entrant, this.nextTicket++);
    if (this.isClosed) return admission;
    this.place(admission, null);
    this.serve();
    return admission;
  }

  /** Admits no more attempts, whatever leaves: a stop must not go through all that wait. */
  close(): void {
    this.isClosed = true;
  }

  /** The attempt has ended or is no longer wanted. Leaving twice has the effect of leaving once. */
  leave(admission: Admission): void {
    if (admission.isInside) {
      admission.isInside = false;
      this.inside -= 1;
      for (const gate of this.gates) {
        const line = lineAt(gate, admission.entrant);
        if (line === null) continue;
        gate.leave(line, admission.entrant);
        this.unserved.push(line);
      }
    } else if (admission.line !== null) {
      const { line } = admission;
      this.unserved.push(line); // the others may have waited behind it
      line.unpark(admission);
      this.countParked(line, -1);
      this.standDown(admission);
    }
    this.serve();
  }

  /** Admits an attempt, or parks it at the gate that refuses it; `from` is its previous line. */
  private place(admission: Admission, from: Line | null): void {
    const { entrant } = admission;
    for (const gate of this.gates) {
      const line = lineAt(gate, entrant);
      if (line === null || line.admits(admission)) continue;
      line.park(admission);
      this.countParked(line, 1);
      this.standDown(admission);
      if (from !== null && this.isBehind(gate, from) && gate.sharedBy.includes(from.gate.name)) {
        this.standFor(admission, from);
      }
      return;
    }
    for (const gate of this.gates) {
      const line = lineAt(gate, entrant);
      if (line !== null) gate.enter(line, entrant);
    }
    admission.isInside = true;
    this.inside += 1;
    this.standDown(admission);
    entrant.admitted();
  }

  /**
   * Whether `gate` comes after the gate of the line. An earlier gate may be closed for this attempt
   * alone: those behind it have small bodies, which never wait for large ones.
   */
  private isBehind(gate: Gate, line: Line): boolean {
    return this.gates.indexOf(gate) > this.gates.indexOf(line.gate);
  }

  /**
   * Makes `admission` the delegate of `line`. Without delegates, every release could move a whole
   * line to the next closed gate and back. Delegates cannot deadlock: a line waits only for a
   * delegate that came before all its entrants and stands at a later gate.
   */
  private standFor(admission: Admission, line: Line): void {
    if (line.delegate !== null) line.delegate.standsFor = null;
    line.delegate = admission;
    admission.standsFor = line;
  }

  /**
   * What `admission` waits for; null = it does not wait. If its line has a delegate at a later
   * gate, that gate is what it waits for.
   */
  waitOf(admission: Admission): GateWait | null {
    const { line } = admission;
    if (line === null) return null;
    const ahead = line.ahead(admission);
    let blocked = admission;
    for (let gate = line; gate.delegate !== null && gate.delegate.line !== null; ) {
      blocked = gate.delegate;
      gate = gate.delegate.line;
    }
    const closed = blocked.line ?? line;
    return { obstacle: closed.gate.obstacleOf(closed, blocked.entrant), ahead };
  }

  /** If a line waited for `admission` to pass, that line is served next. */
  private standDown(admission: Admission): void {
    const line = admission.standsFor;
    if (line === null) return;
    admission.standsFor = null;
    line.delegate = null;
    this.unserved.push(line);
  }

  /** Updates the counts after an attempt was parked in the line (1) or taken out (-1). */
  private countParked({ gate: { name }, length }: Line, more: 1 | -1): void {
    this.parked += more;
    const isFirstOrLast = length === (more === 1 ? 1 : 0);
    if (isFirstOrLast) this.linesAt.set(name, this.blockedAt(name) + more);
    const left = (this.parkedAt.get(name) ?? 0) + more;
    if (left === 0) this.parkedAt.delete(name);
    else this.parkedAt.set(name, left);
  }

  /** Offers capacity that has become free; attempts that arrive meanwhile are served here, too. */
  private serve(): void {
    if (this.isServing || this.isClosed) return;
    this.isServing = true;
    try {
      for (let line = this.nextLine(); line !== undefined; line = this.nextLine()) this.offer(line);
    } finally {
      this.isServing = false;
    }
  }

  private nextLine(): Line | undefined {
    const unserved = this.unserved.pop();
    if (unserved !== undefined) return unserved;
    for (const gate of this.gates) {
      const opened = gate.takeOpened?.();
      if (opened !== undefined) return opened;
    }
    return undefined;
  }

  private offer(line: Line): void {
    for (let head = line.next(); head !== undefined; head = line.next()) {
      this.countParked(line, -1);
      this.place(head, line);
    }
  }
}

/** The line of an entrant at a gate; null = the gate does not concern it. */
function lineAt(gate: Gate, entrant: Entrant): Line | null {
  const { concerns, actsBy } = gate;
  if (concerns !== undefined && entrant[concerns] === null) return null;
  return actsBy?.every(isEmpty) === true ? null : gate.lineOf(entrant);
}

function isEmpty({ size }: { readonly size: number }): boolean {
  return size === 0;
}
