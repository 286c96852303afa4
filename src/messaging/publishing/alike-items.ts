/**
 * Items of one batch mostly differ in their bodies alone. What an item says is read once, and those
 * that say the same share what was read: one message, from which the engine makes the bytes of its
 * event and of its state once. Pure.
 */
import { fieldsOf, isJsonObject, type JsonFields } from '../../grammar/json.js';
import { bodyOf, saidIn } from './batch.request.js';
import type { RequestContext } from './publish.request.js';
import { MessageSubmission, type Submission } from './submissions.js';

/** An item that was read, by what it says. */
interface ReadItem {
  readonly said: JsonFields;
  /** Names and values as they stand there. */
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  readonly submission: MessageSubmission;
}

/** Of one batch, which has one context. */
export class AlikeItems {
  /** The latest one to each destination. */
  private read: Map<unknown, ReadItem> | null = null;

  constructor(
    private readonly context: RequestContext,
    private readonly bodyBytesMax: number,
  ) {}

  /** What an item submits that says what one before it said; undefined = it has to be read. */
  submissionOf(item: unknown): Submission | undefined {
    if (this.read === null) return undefined;
    const said = fieldsOf(saidIn(item));
    const known = this.read.get(said['destination']);
    if (known === undefined || !isAlike(said, known)) return undefined;
    const body = bodyOf(item);
    if (!body.ok || body.value.length > this.bodyBytesMax) return undefined;
    // Whether there is a body at all decides what some methods mean.
    if ((body.value.length === 0) !== (known.submission.bodyBytes === 0)) return undefined;
    const { names, at } = this.context;
    return known.submission.alike(names.next('msg'), at, body.value);
  }

  /** An item that was read, and what it submits: others may say the same. */
  add(item: unknown, submission: Submission): void {
    if (!(submission instanceof MessageSubmission) || submission.dependsOnBody) return;
    const said = fieldsOf(saidIn(item));
    const { destination, headers } = said;
    const [names, values] = [Object.keys(fieldsOf(headers)), Object.values(fieldsOf(headers))];
    this.read ??= new Map();
    this.read.set(destination, { said, names, values, submission });
  }
}

/** Whether an item says what one says that was read, its headers in their order. */
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
