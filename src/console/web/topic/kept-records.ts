/** The records of a stream that a page keeps, however many and however long they are. Pure. */

/** Keeps some of the records of a stream, which a page shows. */
export interface KeptRecords {
  add(record: TailRecord): void;
  /** The kept records in the order of the page; the same array until there are others. */
  readonly shown: readonly TailRecord[];
  /** Whether further records would not be kept. */
  readonly isFull: boolean;
}

/** A record in a stream of `/tail`. */
export interface TailRecord {
  readonly partition: number;
  readonly offset: number;
  /** In Unix ms. */
  readonly timestamp: number;
  readonly key: string;
  /** null = a tombstone. */
  readonly value: string | null;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/** How many records a page shows. */
export const recordsMax = 1000;
/** A page may stay open for days, and each record may have megabytes. */
const charactersMax = 32 * 1024 * 1024;

/** Keeps the newest records: at most 1000, with 32 Mi characters, and at least the last one. */
export class NewestRecords implements KeptRecords {
  readonly isFull = false;
  /** Newest first. */
  private records: readonly TailRecord[] = [];
  private fresh: TailRecord[] = [];
  private freshCharacters = 0;

  add(record: TailRecord): void {
    this.fresh.push(record);
    this.freshCharacters += charactersOf(record);
    // A browser draws pages that are not visible once a minute.
    const isMany = this.fresh.length > recordsMax || this.freshCharacters > charactersMax;
    if (isMany) this.settle();
  }

  /** Newest first. */
  get shown(): readonly TailRecord[] {
    if (this.fresh.length > 0) this.settle();
    return this.records;
  }

  private settle(): void {
    const all = [...this.fresh.toReversed(), ...this.records];
    let characters = 0;
    const end = all.findIndex((record, index) => {
      characters += charactersOf(record);
      return index >= recordsMax || (index > 0 && characters > charactersMax);
    });
    this.records = end < 0 ? all : all.slice(0, end);
    this.fresh = [];
    this.freshCharacters = 0;
  }
}

/** Keeps the first records, up to the same limits. */
export class FirstRecords implements KeptRecords {
  /** Oldest first. */
  private records: readonly TailRecord[] = [];
  private fresh: TailRecord[] = [];
  private count = 0;
  private characters = 0;

  /** Takes a record as long as it is not full. */
  add(record: TailRecord): void {
    this.fresh.push(record);
    this.count += 1;
    this.characters += charactersOf(record);
  }

  get isFull(): boolean {
    return this.count >= recordsMax || this.characters > charactersMax;
  }

  /** Oldest first. */
  get shown(): readonly TailRecord[] {
    if (this.fresh.length > 0) this.records = [...this.records, ...this.fresh];
    this.fresh = [];
    return this.records;
  }
}

function charactersOf({ key, value, headers }: TailRecord): number {
  const own = key.length + (value?.length ?? 0);
  return headers.reduce((sum, header) => sum + header.key.length + header.value.length, own);
}
