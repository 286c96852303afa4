/**
 * Items of one batch mostly differ in their bodies alone. What an item says is read once, and those
 * that say the same share what was read: one message, from which the engine makes the bytes of its
 * event and of its state once. Pure.
 */
import { fieldsOf, isJsonObject } from '../../grammar/json.js';
import { parseBody } from './batch.request.js';
import type { RequestContext } from './publish.request.js';
import { MessageSubmission, type Submission } from './submissions.js';

/** An item that was read, by what it says. */
interface ReadItem {
  readonly queue: unknown;
  /** Names and values as they stand there. */
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  readonly submission: MessageSubmission;
}

/** Of one batch, which has one context. */
export class AlikeItems {
  /** The latest one to each destination. */
  private readonly read = new Map<unknown, ReadItem>();

  constructor(
    private readonly context: RequestContext,
    private readonly bodyBytesMax: number,
  ) {}

  /** What an item submits that says what one before it said; undefined = it has to be read. */
  submissionOf(item: unknown): Submission | undefined {
    const { destination, queue, headers, body: text } = fieldsOf(item);
    const known = this.read.get(destination);
    if (known === undefined || known.queue !== queue || !says(headers, known)) return undefined;
    const body = parseBody(text ?? null);
    if (!body.ok || body.value.length > this.bodyBytesMax) return undefined;
    // Whether there is a body at all decides what some methods mean.
    if ((body.value.length === 0) !== (known.submission.bodyBytes === 0)) return undefined;
    const { names, at } = this.context;
    return known.submission.alike(names.next('msg'), at, body.value);
  }

  /** An item that was read, and what it submits: others may say the same. */
  add(item: unknown, submission: Submission): void {
    if (!(submission instanceof MessageSubmission) || submission.dependsOnBody) return;
    const { destination, queue, headers } = fieldsOf(item);
    const said = fieldsOf(headers);
    const names = Object.keys(said);
    this.read.set(destination, { queue, names, values: Object.values(said), submission });
  }
}

/** Whether headers are those of an item that was read, in their order. */
function says(headers: unknown, { names, values }: ReadItem): boolean {
  if (headers === undefined || headers === null) return names.length === 0;
  if (!isJsonObject(headers)) return false;
  let index = 0;
  for (const name in headers) {
    if (name !== names[index] || headers[name] !== values[index]) return false;
    index += 1;
  }
  return index === names.length;
}
