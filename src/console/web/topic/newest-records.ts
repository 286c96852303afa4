/** The records of a stream that a page keeps, however many and however long they are. Pure. */

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

const recordsMax = 1000;
/** A page may stay open for days, and each record may have megabytes. */
const charactersMax = 32 * 1024 * 1024;

/** Keeps the newest records: at most 1000, with 32 Mi characters, and at least the last one. */
export class NewestRecords {
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

  /** The kept records, newest first; the same array until there are others. */
  get newestFirst(): readonly TailRecord[] {
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

function charactersOf({ key, value, headers }: TailRecord): number {
  const own = key.length + (value?.length ?? 0);
  return headers.reduce((sum, header) => sum + header.key.length + header.value.length, own);
}
