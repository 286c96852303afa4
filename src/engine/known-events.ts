/**
 * The events that a program can read. A later program may write other types of events, or other
 * events of the same types: to skip them, or to misread them, would change history.
 */
import { checkpointedType, type DomainEvent, type EventVersions } from './decider.js';

/** What a decider says about the events of its kind. */
export interface EventsOfKind {
  readonly kind: string;
  readonly events: EventVersions;
  /** Left out = no stream of the kind has checkpoints. */
  readonly checkpoints?: object;
}

/** A type of event; all its events share the string `type`, whose hash is computed already. */
interface KnownType {
  readonly type: string;
  readonly upcasters: EventVersions[string];
}

/** Without any kind it knows nothing of versions, and reads events as they were written. */
export class KnownEvents {
  private readonly kinds = new Map<string, Map<string, KnownType>>();
  /** The shared strings of types, for events that are read as they were written. */
  private readonly types = new Map<string, string>();

  /** From now on reads events of this kind as its decider says. */
  add({ kind, events, checkpoints }: EventsOfKind): void {
    const types = new Map<string, KnownType>();
    if (checkpoints !== undefined) {
      types.set(checkpointedType, { type: checkpointedType, upcasters: [] });
    }
    for (const [type, upcasters] of Object.entries<KnownType['upcasters']>(events)) {
      types.set(type, { type, upcasters });
    }
    this.kinds.set(kind, types);
  }

  /** The version in which events of a type are written. */
  versionOf(kind: string, type: string): number {
    return (this.kinds.get(kind)?.get(type)?.upcasters.length ?? 0) + 1;
  }

  /** An event written in `version`, as it would be written now; null = not known. */
  current(
    kind: string,
    version: number,
    fields: DomainEvent & { type: string },
  ): DomainEvent | null {
    if (this.kinds.size === 0) return this.asWritten(fields);
    const known = this.kinds.get(kind)?.get(fields.type);
    if (known === undefined || version > known.upcasters.length + 1) return null;
    fields.type = known.type;
    const { upcasters } = known;
    if (version > upcasters.length) return fields;
    // Each upcaster takes the version that the one before it makes; the cast passes that through.
    return upcasters
      .slice(version - 1)
      .reduce<DomainEvent>((older, upcast) => upcast(older as never), fields);
  }

  private asWritten(fields: DomainEvent & { type: string }): DomainEvent {
    const known = this.types.get(fields.type);
    if (known === undefined) this.types.set(fields.type, fields.type);
    else fields.type = known;
    return fields;
  }
}
