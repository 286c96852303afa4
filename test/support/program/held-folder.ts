/** A disk of which one folder can be kept from answering, as that of a server that is away. */
import type { Disk } from '../../../storage/disk/disk.js';
import { Gate } from './gate.js';

/** Calls that name a file are held; those of files that are open are not. */
export class HeldFolder extends Gate {
  readonly disk: Disk;
  /** Calls that wait for an answer. */
  waiting = 0;

  constructor(real: Disk, folder: string) {
    super();
    this.disk = new Proxy(real, {
      get: (own, name: keyof Disk) => {
        // Those who inject it look for `then`.
        if (typeof own[name] !== 'function') return own[name];
        // Its methods differ in what they take, which is passed on as it is.
        const call = own[name].bind(own) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]) => {
          if (String(given[0]).startsWith(folder)) await this.passed();
          return call(...given);
        };
      },
    });
  }

  private async passed(): Promise<void> {
    if (this.opened === null) return;
    this.waiting += 1;
    await this.opened;
    this.waiting -= 1;
  }
}
