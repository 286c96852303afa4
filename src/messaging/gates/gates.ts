/**
 * Admission in front of the caller. All gates are tested together; an attempt that is refused holds
 * nothing and waits in the line of the gate that refused, oldest first. Everything happens in
 * memory and at once: after a restart nothing runs, and every effect is started again.
 */
import { Injectable } from '@nestjs/common';
import type { Gate, Line } from './gate.js';
import { Admission, type Entrant, type GateName, gateNames } from './gate.js';
import type { GateWait } from './obstacle.js';

/**
 * One for the server. It calls `admitted` of an entrant once, within `admit` or later, and never
 * after `leave` or `close`.
 */
@Injectable()
export class Gates {
  private nextTicket = 0;
  private inside = 0;
  private parked = 0;
  /** Of those that are parked, how many at which gate. */
  private readonly parkedAt = new Map<GateName, number>();
  /** The lines of each gate in which any wait. */
  private readonly linesAt = new Map<GateName, number>();
  private readonly unserved: Line[] = [];
  private isServing = false;
  private isClosed = false;
  /** In the order of `gateNames`. */
  private readonly gates: Gate[] = [];

  /** More gates; before the first attempt. */
  add(...gates: readonly Gate[]): void {
    this.gates.push(...gates);
    this.gates.sort((one, other) => gateNames.indexOf(one.name) - gateNames.indexOf(other.name));
  }

  /** `line` may go on for another reason than an attempt that left: a limit, a new window. */
  reopen(line: Line): void {
    this.unserved.push(line);
    this.serve();
  }

  /** Attempts that were let in and have not left. */
  get running(): number {
    return this.inside;
  }

  /** Attempts that wait in a line. */
  get waiting(): number {
    return this.parked;
  }

  /** Attempts that wait, by the gate that refused them; none is not there. */
  get waitingAt(): ReadonlyMap<GateName, number> {
    return this.parkedAt;
  }

  /** Of the lines of a gate those in which any wait: how many queues, or keys, hold some back. */
  blockedAt(name: GateName): number {
    return this.linesAt.get(name) ?? 0;
  }

  /** Lets `entrant` in, now (`admitted` is called before this returns) or once its gates open. */
  admit(entrant: Entrant): Admission {
    const admission = new Admission(entrant, this.nextTicket++);
    if (this.isClosed) return admission;
    this.place(admission, null);
    this.serve();
    return admission;
  }

  /** Lets none in any more, whatever leaves: a stop must not go through all that wait. */
  close(): void {
    this.isClosed = true;
  }

  /** The attempt has ended, or is not wanted any more. Leaving twice is leaving once. */
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
      this.unserved.push(line); // it may have been what the others waited behind
      line.unpark(admission);
      this.countParked(line, -1);
      this.standDown(admission);
    }
    this.serve();
  }

  /** Lets it in, or parks it where it is refused; `from` is the line it was taken from. */
  private place(admission: Admission, from: Line | null): void {
    const { entrant } = admission;
    for (const gate of this.gates) {
      const line = lineAt(gate, entrant);
      if (line === null || line.admits(admission)) continue;
      line.park(admission);
      this.countParked(line, 1);
      this.standDown(admission);
      if (from !== null && gate.isShared && this.isBehind(gate, from)) {
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
   * A gate in front of that of the line may be closed for this one alone: those that are next have
   * small bodies, and wait for no great one.
   */
  private isBehind(gate: Gate, line: Line): boolean {
    return this.gates.indexOf(gate) > this.gates.indexOf(line.gate);
  }

  /**
   * Without delegates every release could move a whole line to the next closed gate and back. They
   * cannot deadlock: a line waits only for a delegate that came before all that are in it, and
   * stands at a gate behind its own.
   */
  private standFor(admission: Admission, line: Line): void {
    if (line.delegate !== null) line.delegate.standsFor = null;
    line.delegate = admission;
    admission.standsFor = line;
  }

  /**
   * What `admission` waits for; null = it does not wait. Where another one waits behind the next
   * gate for all of its line, that gate is what it waits for.
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

  /** The line that waited for `admission` to pass is served next. */
  private standDown(admission: Admission): void {
    const line = admission.standsFor;
    if (line === null) return;
    admission.standsFor = null;
    line.delegate = null;
    this.unserved.push(line);
  }

  /** After it was parked in the line, or taken out. */
  private countParked({ gate: { name }, length }: Line, more: 1 | -1): void {
    this.parked += more;
    const isFirstOrLast = length === (more === 1 ? 1 : 0);
    if (isFirstOrLast) this.linesAt.set(name, this.blockedAt(name) + more);
    const left = (this.parkedAt.get(name) ?? 0) + more;
    if (left === 0) this.parkedAt.delete(name);
    else this.parkedAt.set(name, left);
  }

  /** Offers what has become free; attempts that come meanwhile are served by this loop. */
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

/** Where an entrant stands at a gate; null = the gate does not concern it. */
function lineAt(gate: Gate, entrant: Entrant): Line | null {
  const { concerns, actsBy } = gate;
  if (concerns !== undefined && entrant[concerns] === null) return null;
  return actsBy?.every(isEmpty) === true ? null : gate.lineOf(entrant);
}

function isEmpty({ size }: { readonly size: number }): boolean {
  return size === 0;
}
