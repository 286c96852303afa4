/**
 * The look-ups of names by the operating system. A look-up holds a thread of libuv's pool for as
 * long as a name server is silent, and libuv gives look-ups half of its 16 threads: names whose
 * servers are silent must not take them all.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { parentDomain } from './parent-domain.js';

/** What decides when a look-up begins, and whether it still has to. */
export interface LookUpTerms {
  /** Whether the name had addresses in the last minutes. */
  readonly isKnown: boolean;
  /** Aborts when all who waited have given up: a look-up that has not begun then never begins. */
  readonly signal: AbortSignal;
}

/** All addresses of a name, in the order in which they should be tried. */
export type Resolve = (hostname: string, terms: LookUpTerms) => Promise<readonly LookupAddress[]>;

/** How many look-ups of known names run at once, and how many of others. */
const ofOneKindMax = 6;
const runningMax = 8;
/** How many run at once for names under one parent, as `example.com`. */
const underParentMax = 4;

const systemResolve: Resolve = (hostname) => dns.lookup(hostname, { all: true });

interface QueuedLookUp {
  readonly parent: string;
  readonly isKnown: boolean;
  /** Runs the look-up; resolves when it has ended, whatever the answer. */
  readonly run: () => Promise<void>;
}

/**
 * One instance per server. What waits is bounded by those who wait. A name starts before an earlier
 * one if fewer look-ups run for its parent: the owner of one domain cannot delay all other names.
 */
export class LookUps {
  private readonly queue = new Set<QueuedLookUp>();
  private readonly running = new Set<QueuedLookUp>();

  constructor(private readonly ask: Resolve = systemResolve) {}

  /** Rejects with the resolver's error, or with the signal's reason before the look-up begins. */
  readonly resolve: Resolve = (hostname, terms) =>
    new Promise((resolve, reject) => {
      const { isKnown, signal } = terms;
      const run = async (): Promise<void> => {
        signal.removeEventListener('abort', leave);
        try {
          resolve(await this.ask(hostname, terms));
        } catch (error) {
          reject(error);
        }
      };
      const lookUp: QueuedLookUp = { parent: parentDomain(hostname), isKnown, run };
      const leave = (): void => {
        this.queue.delete(lookUp);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.add(lookUp);
      this.startAll();
    });

  private startAll(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) void this.start(next);
  }

  private async start(lookUp: QueuedLookUp): Promise<void> {
    this.queue.delete(lookUp);
    this.running.add(lookUp);
    await lookUp.run();
    this.running.delete(lookUp);
    this.startAll();
  }

  /** The look-up that may start now. */
  private next(): QueuedLookUp | undefined {
    if (this.running.size >= runningMax) return undefined;
    let next: QueuedLookUp | undefined;
    let fewest = underParentMax;
    for (const lookUp of this.queue) {
      const siblings = this.count(({ parent }) => parent === lookUp.parent);
      if (siblings >= fewest) continue;
      if (this.count(({ isKnown }) => isKnown === lookUp.isKnown) >= ofOneKindMax) continue;
      next = lookUp;
      fewest = siblings;
      if (siblings === 0) break;
    }
    return next;
  }

  private count(counts: (lookUp: QueuedLookUp) => boolean): number {
    let found = 0;
    for (const lookUp of this.running) if (counts(lookUp)) found += 1;
    return found;
  }
}
