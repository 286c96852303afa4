/** What else is listed as dead letters: SDKs request it as `GET /v2/dlq?source=<name>`. */
import type { sendListing } from '../../http/bytes/listing.js';

/** Gives the pages that a request target means. Throws a refusal where its query is unsound. */
export type LetterSource = (target: string) => Parameters<typeof sendListing>[4];

/** Filled by features above while modules are built: messaging knows nothing of runs. */
export class LetterSources {
  private readonly sources = new Map<string, LetterSource>();

  /** Requests for `name` are answered by `source` from now on. */
  add(name: string, source: LetterSource): void {
    this.sources.set(name, source);
  }

  /** Undefined where nothing of the name is known: messages are listed then. */
  of(name: string | undefined): LetterSource | undefined {
    return name === undefined ? undefined : this.sources.get(name);
  }
}
