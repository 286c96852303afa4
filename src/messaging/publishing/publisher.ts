/** Takes publishes in, whichever way they came: reads what each submits, dispatches it, answers. */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchAll, dispatchFitting } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import { turnCommandsMax } from '../../engine/turn.js';
import { Refusal } from '../../grammar/result.js';
import {
  type Dialect,
  dialects,
  type MessageHeaders,
  type OptionHeaders,
  readMessageOptions,
} from '../../http/dialect.js';
import { durabilityOf } from '../../http/durability.js';
import { callerOf } from '../../http/identity/callers.js';
import { Intake } from '../../http/intake.js';
import type { RequestHead } from '../../http/request-head.js';
import type { Exchange } from '../../http/routes/exchange.js';
import { Messages } from '../messages/message.entity.js';
import type { MessagingSettings } from '../settings.js';
import { UrlGroups } from '../url-groups/url-group.entity.js';
import { type AddressedTemplate, messageTemplate, scheduleDefinition } from './message-template.js';
import { hasUnknown, type PublishRules } from './option-reader.js';
import {
  type PublishParsed,
  type PublishRequest,
  parsePublish,
  parseTemplate,
  type RequestContext,
} from './publish.request.js';
import type { PublishInterpreter, ReadPublish } from './publish-interpreter.js';
import { type PublishTarget, PublishTargets, publishRules } from './publish-targets.js';
import {
  type Answer,
  GroupSubmission,
  MessageSubmission,
  RefusedSubmission,
  ScheduleSubmission,
  type Submission,
  SubmissionOutcomes,
  WarnedSubmission,
} from './submissions.js';
import { type UnknownOption, unknownOptions, warningHeader } from './unknown-options.js';
import { dispatchWhole } from './whole-dispatch.js';

const withoutBody = {
  contentType: null,
  trace: [],
  body: Buffer.alloc(0),
  queueName: null,
  mustRepeat: false,
};

const jsonType = 'application/json; charset=utf-8';

/**
 * One for the server, for routes of publishes and batches, and for features above, which register
 * by `interpret` what they take for themselves.
 */
@Injectable()
export class Publisher {
  private readonly rules: PublishRules;
  /** The dialect of requests that do not say. */
  private readonly dialect: Dialect;
  private readonly answerHeaders: readonly string[];
  private readonly interpreters: PublishInterpreter[] = [];

  constructor(
    private readonly engine: Engine,
    private readonly intake: Intake,
    private readonly targets: PublishTargets,
    private readonly groups: UrlGroups,
    private readonly messages: Messages,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    this.rules = publishRules(config, targets);
    this.dialect = dialects[config.dialect];
    this.answerHeaders = ['content-type', jsonType, 'stepwell-durability', durabilityOf(config)];
  }

  /** Publishes that `interpreter` takes are what it reads in them. */
  interpret(interpreter: PublishInterpreter): void {
    this.interpreters.push(interpreter);
  }

  /** The context of a request that has just been read whole. */
  context({ caller }: Pick<Exchange, 'caller'>): RequestContext {
    const at = this.clock.now();
    const names = newNames(this.identifiers, at, caller.seed);
    return { at, callerIp: caller.address, dialect: this.dialect, names };
  }

  /**
   * What one publish submits; a refusal if the request alone shows that it cannot be carried out,
   * so that the caller learns it at once.
   */
  read(publish: PublishRequest): Submission | Refusal {
    const { rawHeaders, context } = publish;
    const target = this.targets.read(publish.destination);
    if (target instanceof Refusal) return this.refusalTo(target, rawHeaders, context);
    const said = headersOf(publish, target);
    const interpreter = this.interpreterOf(said);
    const unknown = unknownIn(said);
    const typo = this.typoIn(unknown);
    if (typo !== undefined) return interpreter?.refusal(typo, said) ?? typo;
    const read = interpreter === undefined ? this.readPublish : interpreter.read;
    return warned(read(publish, target, said, this.rules), unknown);
  }

  /** What a request submits that came in another way than a publish, as `read` says. */
  readAs(read: ReadPublish, publish: PublishRequest): Submission | Refusal {
    const target = this.targets.read(publish.destination);
    if (target instanceof Refusal) return target;
    const said = headersOf(publish, target);
    const unknown = unknownIn(said);
    const typo = this.typoIn(unknown);
    return typo ?? warned(read(publish, target, said, this.rules), unknown);
  }

  /** What a schedule or a subscription publishes, again and again, as these headers say. */
  readTemplate(destination: string, request: RequestHead): AddressedTemplate | Refusal {
    const target = this.targets.read(destination);
    if (target instanceof Refusal) return target;
    const { rawHeaders } = request;
    const context = this.context({ caller: callerOf(request) });
    const publish = { destination, rawHeaders, context, ...withoutBody };
    const said = headersOf(publish, target);
    const typo = this.typoIn(unknownIn(said));
    if (typo !== undefined) return typo;
    const parsed = parseTemplate(publish, target, said, this.rules);
    if (!parsed.ok) return parsed;
    const topicName = target.kind === 'group' ? target.text : null;
    return messageTemplate(context.at, { ...parsed.message, topicName });
  }

  /** A refusal of what came with these headers, in the form that their client understands. */
  refusalTo(refusal: Refusal, rawHeaders: readonly string[], { dialect }: RequestContext): Refusal {
    const headers = readMessageOptions(rawHeaders, dialect);
    return this.interpreterOf(headers)?.refusal(refusal, headers) ?? refusal;
  }

  /**
   * Carries a submission out and answers when its outcomes are durable. Turns of one tick share a
   * commit. The bodies it brings weigh `bytes`.
   */
  carryOut(exchange: Exchange, submission: Submission, bytes: number): void {
    const { intake } = this;
    const refusal = intake.take(bytes);
    if (refusal !== null) {
      exchange.refuse(refusal);
      return;
    }
    // One promise per submission beside the engine's own: an async function would add three.
    void this.dispatch(submission, exchange.caller).then(
      (outcomes) => {
        intake.done(bytes);
        const decided = new SubmissionOutcomes(submission.commands, outcomes);
        this.answer(exchange, submission, submission.answer(decided));
      },
      (error: unknown) => {
        intake.done(bytes);
        exchange.fail(error);
      },
    );
  }

  private interpreterOf({ options }: OptionHeaders): PublishInterpreter | undefined {
    return this.interpreters.find((interpreter) =>
      interpreter.options.some((option) => options.has(option)),
    );
  }

  /** A publish that is no more than one. */
  private readonly readPublish: ReadPublish = (publish, target, said, rules) => {
    const parsed = parsePublish(publish, target, said, rules);
    return parsed.ok ? this.submissionOf(publish, target, parsed) : parsed;
  };

  private submissionOf(
    { body, context: { at, names } }: PublishRequest,
    target: PublishTarget,
    { message, schedule }: Extract<PublishParsed, { ok: true }>,
  ): Submission {
    const groupName = target.kind === 'group' ? target.text : null;
    const group = groupName === null ? null : this.groups.find(groupName)?.state;
    if (group === undefined) return notFound(`URL group ${groupName} not found`);
    if (group?.endpoints.length === 0) return notFound(`URL group ${groupName} is empty`);
    const addressed = groupName === null ? message : { ...message, topicName: groupName };
    if (schedule !== null) {
      const id = schedule.id ?? names.next('scd');
      return new ScheduleSubmission(id, at, scheduleDefinition(schedule, at, addressed), body);
    }
    return group === null
      ? new MessageSubmission(names.next('msg'), at, message, body)
      : new GroupSubmission(names, at, addressed, body, group, (url) =>
          this.messages.isDuplicate({ ...addressed, url }, at),
        );
  }

  private answer(exchange: Exchange, { warnings }: Submission, answer: Answer | Refusal): void {
    if (answer instanceof Refusal) {
      exchange.refuse(answer);
      return;
    }
    const headers =
      warnings === undefined || warnings.length === 0
        ? this.answerHeaders
        : [...this.answerHeaders, 'stepwell-warning', warningHeader(warnings)];
    exchange.answer(answer.status, headers, JSON.stringify(answer.body));
  }

  /** On a developer's machine a typo is no warning that scrolls by. */
  private typoIn(unknown: readonly UnknownOption[]): Refusal | undefined {
    if (unknown.length === 0 || !this.config.isDevelopment) return undefined;
    const typo = unknown.find(({ isMisspelt }) => isMisspelt);
    return typo && new Refusal('invalid', typo.warning);
  }

  private dispatch({ commands, isWhole }: Submission, by: Principal): Promise<readonly Outcome[]> {
    const { engine } = this;
    if (commands.length < 2) return engine.dispatch(commands, by);
    if (commands.length <= turnCommandsMax) return dispatchFitting(engine, commands, isWhole, by);
    return isWhole ? dispatchWhole(engine, commands, by) : dispatchAll(engine, commands, by);
  }
}

/** What the headers of a publish say, and the options in its destination's query. */
function headersOf(
  { rawHeaders, context }: PublishRequest,
  { options }: PublishTarget,
): MessageHeaders {
  const pairs = options.length === 0 ? rawHeaders : [...rawHeaders, ...options];
  return readMessageOptions(pairs, context.dialect);
}

const noneUnknown: readonly UnknownOption[] = [];

function unknownIn(said: MessageHeaders): readonly UnknownOption[] {
  return hasUnknown(said) ? unknownOptions(said) : noneUnknown;
}

/** A submission whose answer says what meant nothing; mostly there is nothing to say. */
function warned<Refused extends Refusal>(
  read: Submission | Refused,
  unknown: readonly UnknownOption[],
): Submission | Refused {
  if (unknown.length === 0 || read instanceof Refusal) return read;
  const warnings = unknown.map(({ warning }) => warning);
  return new WarnedSubmission(read, warnings);
}

/** What is there was looked at, so this is answered in its turn (ADR 1). */
function notFound(message: string): Submission {
  return new RefusedSubmission(new Refusal('not_found', message));
}
