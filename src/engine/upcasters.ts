/** Which functions lift which old events: filled by every decider that joins the engine. */
import type { DomainEvent } from './decider.js';

/** The lifts of one event type, oldest first. */
export type Lifts = readonly ((fields: never) => DomainEvent)[];

export class UpcasterTable {
  private readonly lifts = new Map<string, Readonly<Record<string, Lifts>>>();

  /** Learns a decider's upcasters. */
  add(kind: string, upcasters: Readonly<Record<string, Lifts>> | undefined): void {
    if (upcasters !== undefined) this.lifts.set(kind, upcasters);
  }

  /** The lifts of an event type; undefined if it has only ever had one version. */
  find(kind: string, type: string): Lifts | undefined {
    return this.lifts.get(kind)?.[type];
  }
}
