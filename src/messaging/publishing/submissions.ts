/**
 * What a publish means for the engine: the commands that carry it out, and what the caller is told
 * of their outcomes. Pure.
 */
import type { Command } from '../../engine/decider.js';
import type { Outcome } from '../../engine/turn.js';
import { withDefaultHeaders } from '../../grammar/default-headers.js';
import { type Refusal, refusalOf } from '../../http/error-shapes.js';
import type { PublishMessage, PublishReceipt } from '../messages/message.commands.js';
import {
  type MessagePublished,
  type MessageTemplate,
  messageKind,
} from '../messages/message.events.js';
import type { CreateSchedule } from '../schedules/schedule.commands.js';
import { type ScheduleDefinition, scheduleKind } from '../schedules/schedule.events.js';
import type { UrlGroup } from '../url-groups/url-group.events.js';
import type { ScheduleRequest } from './publish.request.js';

type Message = Omit<MessagePublished, 'type'>;

/** A success as it is answered. */
export interface Answer {
  readonly status: 200 | 201 | 202;
  readonly body: unknown;
}

/** Commands to dispatch in this order, and how their outcomes, as many, are answered. */
export interface Submission {
  readonly commands: readonly Command[];
  /**
   * It is carried out whole or not at all, with everything that was asked for in the same request,
   * and nothing comes between. A refusal of it is the answer to that request.
   */
  readonly isWhole: boolean;
  /** What of the request meant nothing, where something did; for the `Stepwell-Warning` header. */
  readonly warnings?: readonly string[];
  tell(outcomes: readonly Outcome[]): Answer | Refusal;
}

/** A refusal that is told before anything is dispatched. */
export interface SubmissionRefusal extends Refusal {
  /** The whole request is told it, and not only the one item of a batch that it is about. */
  readonly isWhole?: true;
}

/** Ids of what one request makes: one seed, counted on from the second. */
export class RequestNames {
  private count = 0;

  constructor(private readonly seed: string) {}

  next(prefix: string): string {
    const index = this.count++;
    return index === 0 ? `${prefix}_${this.seed}` : `${prefix}_${this.seed}${index.toString(36)}`;
  }
}

/** What one message answers (messaging.md 2.1). */
interface MessageReceipt {
  readonly messageId: string;
  readonly url: string;
  readonly deduplicated?: true;
}

/** One message to one URL; 202 names the earlier message that it repeats. */
export class MessageSubmission implements Submission {
  readonly commands: readonly [PublishMessage];
  readonly isWhole = false;

  constructor(id: string, at: number, message: Message, body: Buffer) {
    this.commands = [publishMessage(id, at, message, body, null)];
  }

  tell([outcome]: readonly Outcome[]): Answer | Refusal {
    const receipt = receiptOf(outcome, this.commands[0].message.url);
    if ('status' in receipt) return receipt;
    return { status: receipt.deduplicated ? 202 : 200, body: receipt };
  }
}

/** One message to each endpoint of a URL group, told as a list; the body is stored once. */
export class GroupSubmission implements Submission {
  readonly commands: readonly PublishMessage[];
  readonly isWhole = false;

  constructor(
    names: RequestNames,
    at: number,
    message: Message,
    body: Buffer,
    { endpoints, headers }: UrlGroup,
  ) {
    const merged = withDefaultHeaders(message.headers, headers);
    const first = names.next('msg');
    this.commands = endpoints.map(({ url, name }, index) => {
      const own = { ...message, url, headers: merged, endpointName: name };
      return index === 0
        ? publishMessage(first, at, own, body, null)
        : publishMessage(names.next('msg'), at, own, body, first);
    });
  }

  tell(outcomes: readonly Outcome[]): Answer {
    const body = this.commands.map(({ message }, index) => {
      const receipt = receiptOf(outcomes[index], message.url);
      return 'status' in receipt ? { error: receipt.message } : receipt;
    });
    return { status: 200, body };
  }
}

/** A message that a schedule publishes from now on. */
export class ScheduleSubmission implements Submission {
  readonly commands: readonly [CreateSchedule];
  readonly isWhole = false;

  constructor(id: string, at: number, definition: ScheduleDefinition, body: Buffer) {
    this.commands = [{ type: 'CreateSchedule', kind: scheduleKind, id, at, definition, body }];
  }

  tell([outcome]: readonly Outcome[]): Answer | Refusal {
    if (outcome === undefined) throw new Error('a command without an outcome');
    if (!outcome.accepted) return refusalOf(outcome.rejection);
    return { status: 200, body: { scheduleId: this.commands[0].id } };
  }
}

/** Many submissions as one, answered as a list in which a refused one is `{error}`. */
export class BatchSubmission implements Submission {
  readonly commands: readonly Command[];
  readonly isWhole: boolean;
  readonly warnings: readonly string[];

  constructor(
    private readonly submissions: readonly Submission[],
    private readonly success: Answer['status'] = 200,
  ) {
    this.commands = submissions.flatMap(({ commands }) => commands);
    this.isWhole = submissions.some(({ isWhole }) => isWhole);
    this.warnings = submissions.flatMap(({ warnings = noWarnings }, index) =>
      warnings.map((warning) => ofItem(index, warning)),
    );
  }

  tell(outcomes: readonly Outcome[]): Answer | Refusal {
    let first = 0;
    const body: unknown[] = [];
    for (const [index, submission] of this.submissions.entries()) {
      const next = first + submission.commands.length;
      const told = submission.tell(outcomes.slice(first, next));
      first = next;
      if (!('message' in told)) {
        body.push(told.body);
        continue;
      }
      const refusal = refusalOfItem(index, told);
      if (submission.isWhole) return refusal;
      body.push({ error: refusal.message });
    }
    return { status: this.success, body };
  }
}

const noWarnings: readonly string[] = [];

/** A sentence about one item of a batch; items are counted from 0, as the answer's are. */
function ofItem(index: number, sentence: string): string {
  return `item ${index}: ${sentence}`;
}

/** The refusal of one item, as it stands beside others. */
export function refusalOfItem<Refused extends Refusal>(index: number, refusal: Refused): Refused {
  return { ...refusal, message: ofItem(index, refusal.message) };
}

/** A submission of which something meant nothing: it is carried out, and its answer says so. */
export class WarnedSubmission implements Submission {
  readonly commands: Submission['commands'];
  readonly isWhole: boolean;

  constructor(
    private readonly submission: Submission,
    readonly warnings: readonly string[],
  ) {
    this.commands = submission.commands;
    this.isWhole = submission.isWhole;
  }

  tell(outcomes: readonly Outcome[]): Answer | Refusal {
    return this.submission.tell(outcomes);
  }
}

/** A request that asks for nothing, because of what was found while it was read. */
export class RefusedSubmission implements Submission {
  readonly commands: readonly [] = [];
  readonly isWhole = false;

  constructor(private readonly refusal: Refusal) {}

  tell(): Refusal {
    return this.refusal;
  }
}

/** A message that will be published again and again, and where to: `url` or a group. */
export interface AddressedTemplate {
  readonly url: string | null;
  readonly topicName: string | null;
  readonly message: MessageTemplate;
}

/** What stays of a `message` that was read for `at`, whenever it is published. */
export function messageTemplate(at: number, message: Message): AddressedTemplate {
  const { url, topicName, notBefore, bodyOffset, callbackOf, endpointName, scheduleId, ...kept } =
    message;
  return {
    url: topicName === null ? url : null,
    topicName,
    message: { ...kept, delayMs: notBefore - at },
  };
}

/** What a schedule keeps. */
export function scheduleDefinition(
  { cron }: ScheduleRequest,
  at: number,
  message: Message,
): ScheduleDefinition {
  return { cron, ...messageTemplate(at, message) };
}

function publishMessage(
  id: string,
  at: number,
  message: Message,
  body: Buffer,
  sharesBodyWith: string | null,
): PublishMessage {
  return { type: 'PublishMessage', kind: messageKind, id, at, message, body, sharesBodyWith };
}

function receiptOf(outcome: Outcome | undefined, url: string): MessageReceipt | Refusal {
  if (outcome === undefined) throw new Error('a command without an outcome');
  if (!outcome.accepted) return refusalOf(outcome.rejection);
  const { messageId, deduplicated } = outcome.result as PublishReceipt;
  return deduplicated ? { messageId, url, deduplicated } : { messageId, url };
}
