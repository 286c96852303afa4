/**
 * What a publish means for the engine: the commands that carry it out, and how to answer their
 * outcomes. Pure.
 */
import type { Command, ResultOf, TurnNames } from '../../engine/decider.js';
import { type Outcome, RefusalOfAnother } from '../../engine/turn.js';
import { withDefaultHeaders } from '../../grammar/headers.js';
import { Refusal } from '../../grammar/result.js';
import type { PublishMessage } from '../messages/message.commands.js';
import { type MessagePublished, messageKind } from '../messages/message.events.js';
import type { CreateSchedule } from '../schedules/schedule.commands.js';
import { type ScheduleDefinition, scheduleKind } from '../schedules/schedule.events.js';
import type { UrlGroup } from '../url-groups/url-group.events.js';
import { contentKeyPrefix, type RequestContext } from './publish.request.js';
import { noWarnings, type OptionWarning } from './unknown-options.js';

/** The answer to a successful request. */
export interface Answer {
  readonly status: 200 | 201 | 202;
  readonly body: unknown;
}

/** The outcomes of the commands of a submission, each with the result type of its command. */
export class SubmissionOutcomes {
  /** Submissions ask in the order of their commands, so a long batch is searched only once. */
  private place = 0;

  /** `outcomes` are those of `commands`, in the same order. */
  constructor(
    private readonly commands: readonly Command[],
    private readonly outcomes: readonly Outcome[],
  ) {}

  /** The outcome of one command of the submission. */
  of<Own extends Command>(command: Own): Outcome<ResultOf<Own>> {
    const { commands } = this;
    const ahead = commands.indexOf(command, this.place);
    this.place = ahead === -1 ? commands.indexOf(command) : ahead;
    const outcome = this.outcomes[this.place];
    if (outcome === undefined) throw new Error(`${command.type} is not one of the submission's`);
    // The engine answers each command with the outcome of its decider.
    return outcome as Outcome<ResultOf<Own>>;
  }

  /** The first command refused for its own sake, with the reason; undefined = there is none. */
  refused(): { readonly command: Command; readonly refusal: Refusal } | undefined {
    for (const [index, command] of this.commands.entries()) {
      const outcome = this.outcomes[index];
      if (!(outcome instanceof Refusal) || outcome instanceof RefusalOfAnother) continue;
      return { command, refusal: outcome };
    }
    return undefined;
  }
}

/** The content of a request without its body and without the name of the run that it is about. */
export interface RequestTemplate {
  /** The submission of the same request with another name and body; undefined = it must be read. */
  again(name: string, body: Buffer, context: RequestContext): Submission | undefined;
}

/** Commands to dispatch in this order, and how to answer their outcomes. */
export interface Submission {
  readonly commands: readonly Command[];
  /**
   * The submission is carried out whole or not at all, together with everything else in the same
   * request, and no other command comes in between. A refusal of it is the answer to that request.
   */
  readonly isWhole: boolean;
  /** Unknown options of the request, if any; for the `Stepwell-Warning` header. */
  readonly warnings?: readonly OptionWarning[];
  /** The request without its name and body, for kinds of request that are mostly alike. */
  readonly template?: RequestTemplate | undefined;
  answer(outcomes: SubmissionOutcomes): Answer | Refusal;
}

/** A refusal of the whole request, not only of the batch item that caused it. */
export class WholeRefusal extends Refusal {
  readonly isWhole = true;
}

/** The answer for one message (messaging.md 2.1). */
interface MessageReceipt {
  readonly messageId: string;
  readonly url: string;
  readonly deduplicated?: true;
}

/** One message to one URL. The answer 202 names the earlier message that it repeats. */
export class MessageSubmission implements Submission {
  readonly commands: readonly [PublishMessage];
  readonly isWhole = false;

  constructor(
    id: string,
    at: number,
    private readonly message: MessagePublished,
    body: Buffer,
  ) {
    this.commands = [publishMessage(id, at, message, body, null)];
  }

  get bodyBytes(): number {
    return this.message.bodyBytes;
  }

  /** Whether the same options with another body would mean something else. */
  get dependsOnBody(): boolean {
    return this.message.deduplicationKey?.startsWith(contentKeyPrefix) === true;
  }

  /** The same submission with another id and body. Equal parts are shared as one object. */
  alike(id: string, at: number, body: Buffer): MessageSubmission {
    const { message } = this;
    const bodyBytes = body.length;
    const alike = bodyBytes === message.bodyBytes ? message : { ...message, bodyBytes };
    return new MessageSubmission(id, at, alike, body);
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const receipt = receiptOf(this.commands[0], outcomes);
    if (receipt instanceof Refusal) return receipt;
    return { status: receipt.deduplicated ? 202 : 200, body: receipt };
  }
}

/** One message to each endpoint of a URL group, answered as a list. The body is stored once. */
export class GroupSubmission implements Submission {
  readonly commands: readonly PublishMessage[];
  readonly isWhole = false;

  /** `isRepeated`: whether a message to this URL would be a duplicate, which stores no body. */
  constructor(
    names: TurnNames,
    at: number,
    message: MessagePublished,
    body: Buffer,
    { endpoints, headers }: UrlGroup,
    isRepeated: (url: string) => boolean,
  ) {
    const merged = withDefaultHeaders(message.headers, headers);
    let holder: string | null = null;
    const commands: PublishMessage[] = [];
    for (const { url, name } of endpoints) {
      const own = { ...message, url, headers: merged, endpointName: name };
      const id = names.next('msg');
      commands.push(publishMessage(id, at, own, body, holder));
      if (holder === null && !isRepeated(url)) holder = id;
    }
    this.commands = commands;
  }

  answer(outcomes: SubmissionOutcomes): Answer {
    const body = this.commands.map((command) => {
      const receipt = receiptOf(command, outcomes);
      return receipt instanceof Refusal ? { error: receipt.message } : receipt;
    });
    return { status: 200, body };
  }
}

/** A schedule, which publishes a message repeatedly from now on. */
export class ScheduleSubmission implements Submission {
  readonly commands: readonly [CreateSchedule];
  readonly isWhole = false;

  constructor(id: string, at: number, definition: ScheduleDefinition, body: Buffer) {
    this.commands = [{ type: 'CreateSchedule', kind: scheduleKind, id, at, definition, body }];
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const outcome = outcomes.of(this.commands[0]);
    if (!outcome.ok) return outcome;
    return { status: 200, body: { scheduleId: this.commands[0].id } };
  }
}

/** Many submissions as one, answered as a list in which each refused one is `{error}`. */
export class BatchSubmission implements Submission {
  readonly commands: readonly Command[];
  readonly isWhole: boolean;
  readonly warnings: readonly OptionWarning[];

  constructor(
    private readonly submissions: readonly Submission[],
    private readonly success: Answer['status'] = 200,
  ) {
    const commands: Command[] = [];
    const warnings: OptionWarning[] = [];
    let isWhole = false;
    for (const [index, submission] of submissions.entries()) {
      for (const command of submission.commands) commands.push(command);
      for (const each of submission.warnings ?? noWarnings) {
        warnings.push({
          get warning() {
            return ofItem(index, each.warning);
          },
        });
      }
      isWhole ||= submission.isWhole;
    }
    this.commands = commands;
    this.isWhole = isWhole;
    this.warnings = warnings;
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    const body: unknown[] = [];
    for (const [index, submission] of this.submissions.entries()) {
      const answer = submission.answer(outcomes);
      if (!(answer instanceof Refusal)) {
        body.push(answer.body);
        continue;
      }
      if (submission.isWhole) return this.wholeRefusal(outcomes) ?? refusalOfItem(index, answer);
      body.push({ error: refusalOfItem(index, answer).message });
    }
    return { status: this.success, body };
  }

  /** The refusal of the whole batch. It names the item that caused it, wherever that stands. */
  private wholeRefusal(outcomes: SubmissionOutcomes): Refusal | undefined {
    const refused = outcomes.refused();
    if (refused === undefined) return undefined;
    const { command, refusal } = refused;
    const index = this.submissions.findIndex(({ commands }) => commands.includes(command));
    return refusalOfItem(index, refusal);
  }
}

/** A sentence about one item of a batch. Items are counted from 0, as in the answer. */
function ofItem(index: number, sentence: string): string {
  return `item ${index}: ${sentence}`;
}

/** The refusal of one item, prefixed with its index. */
export function refusalOfItem(index: number, refusal: Refusal): Refusal {
  return refusal.saying(ofItem(index, refusal.message));
}

/** A submission with unknown options: it is carried out, and its answer warns about them. */
export class WarnedSubmission implements Submission {
  readonly commands: Submission['commands'];
  readonly isWhole: boolean;

  constructor(
    private readonly submission: Submission,
    readonly warnings: readonly OptionWarning[],
  ) {
    this.commands = submission.commands;
    this.isWhole = submission.isWhole;
  }

  answer(outcomes: SubmissionOutcomes): Answer | Refusal {
    return this.submission.answer(outcomes);
  }
}

/** A request that carries out nothing, because it was refused while it was read. */
export class RefusedSubmission implements Submission {
  readonly commands: readonly [] = [];
  readonly isWhole = false;

  constructor(private readonly refusal: Refusal) {}

  answer(): Refusal {
    return this.refusal;
  }
}

function publishMessage(
  id: string,
  at: number,
  message: MessagePublished,
  body: Buffer,
  sharesBodyWith: string | null,
): PublishMessage {
  return {
    type: 'PublishMessage',
    kind: messageKind,
    id,
    at,
    begins: true,
    message,
    body,
    sharesBodyWith,
  };
}

function receiptOf(
  command: PublishMessage,
  outcomes: SubmissionOutcomes,
): MessageReceipt | Refusal {
  const outcome = outcomes.of(command);
  if (!outcome.ok) return outcome;
  const { url } = command.message;
  const { messageId, deduplicated } = outcome.value;
  return deduplicated ? { messageId, url, deduplicated } : { messageId, url };
}
