/** Other sources of dead letters: SDKs request them as `GET /v2/dlq?source=<name>`. */
import { ok, type Result, refused } from '../../grammar/result.js';
import type { sendListing } from '../../http/bytes/listing.js';

/** Returns the pages for a request target. Throws a refusal if its query is invalid. */
export type LetterSource = (target: string) => Parameters<typeof sendListing>[4];

/** Filled by features above while modules are built, because messaging knows nothing of runs. */
export class LetterSources {
  private readonly sources = new Map<string, LetterSource>();

  /** Has `source` answer requests for `name`. */
  add(name: string, source: LetterSource): void {
    this.sources.set(name, source);
  }

  /** The source of this name; without a name undefined: messages are listed. */
  of(name: string | undefined): Result<LetterSource | undefined> {
    if (name === undefined) return ok(undefined);
    const source = this.sources.get(name);
    return source === undefined
      ? refused(`source must be ${[...this.sources.keys()].join(' or ')}`)
      : ok(source);
  }
}
