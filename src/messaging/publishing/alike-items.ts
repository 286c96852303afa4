/**
 * The items of one batch usually differ only in their bodies. Everything else in an item is read
 * once, and items that say the same share the result: one message, whose event and state the engine
 * encodes only once. Pure.
 */
import { fieldsOf, isJsonObject, type JsonFields } from '../../grammar/json.js';
import { bodyOf, saidIn } from './batch.request.js';
import type { RequestContext } from './publish.request.js';
import { MessageSubmission, type Submission } from './submissions.js';

/** An item that has been read, with the fields that it was read from. */
interface ReadItem {
  readonly said: JsonFields;
  /** Names and values of its headers, in their original order. */
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  readonly submission: MessageSubmission;
}

/** The items read so far of one batch. All of them share one request context. */
export class AlikeItems {
  /** The latest item read for each destination. */
  private read: Map<unknown, ReadItem> | null = null;

  constructor(
    private readonly context: RequestContext,
    private readonly bodyBytesMax: number,
  ) {}

  /** The submission of an item that says the same as an earlier one; undefined = read the item. */
  submissionOf(item: unknown): Submission | undefined {
    if (this.read === null) return undefined;
    const said = fieldsOf(saidIn(item));
    const known = this.read.get(said['destination']);
    if (known === undefined || !isAlike(said, known)) return undefined;
    const body = bodyOf(item);
    if (!body.ok || body.value.length > this.bodyBytesMax) return undefined;
    // Some methods (GET) allow no body, so an item with a body is not like one without.
    if ((body.value.length === 0) !== (known.submission.bodyBytes === 0)) return undefined;
    const { names, at } = this.context;
    return known.submission.alike(names.next('msg'), at, body.value);
  }

  /** Remembers an item that was read, with its submission: later items may say the same. */
  add(item: unknown, submission: Submission): void {
    if (!(submission instanceof MessageSubmission) || submission.dependsOnBody) return;
    const said = fieldsOf(saidIn(item));
    const { destination, headers } = said;
    const [names, values] = [Object.keys(fieldsOf(headers)), Object.values(fieldsOf(headers))];
    this.read ??= new Map();
    this.read.set(destination, { said, names, values, submission });
  }
}

/** Whether an item says the same as an item that was read, with its headers in the same order. */
function isAlike(item: JsonFields, { said, names, values }: ReadItem): boolean {
  if (item === said) return true;
  const { headers, queue } = item;
  if (queue !== said['queue']) return false;
  if (headers === undefined || headers === null) return names.length === 0;
  if (!isJsonObject(headers)) return false;
  let index = 0;
  for (const name in headers) {
    if (name !== names[index] || headers[name] !== values[index]) return false;
    index += 1;
  }
  return index === names.length;
}
