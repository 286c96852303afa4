/** Takes publishes in, whichever way they came: reads what each submits, dispatches it, answers. */
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { dispatchAll, dispatchAtOnce } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import type { TurnNames } from '../../engine/decider.js';
import { Engine, turnCommandsMax } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import { Refusal } from '../../grammar/result.js';
import {
  type Dialect,
  dialects,
  type OptionHeaders,
  readMessageOptions,
} from '../../http/dialect.js';
import { durabilityOf } from '../../http/durability.js';
import { callerOf } from '../../http/identity/caller.js';
import { Intake } from '../../http/intake.js';
import type { Exchange } from '../../http/routes/exchange.js';
import type { MessagingSettings } from '../settings.js';
import { UrlGroups } from '../url-groups/url-group.entity.js';
import { type AddressedTemplate, messageTemplate, scheduleDefinition } from './message-template.js';
import type { PublishRules } from './option-reader.js';
import {
  type PublishInput,
  type PublishParsed,
  type PublishRequest,
  parsePublish,
  parseTemplate,
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

/** Where a request comes from, when, and its dialect if its headers do not say. */
export interface RequestContext {
  readonly at: number;
  readonly callerIp: string;
  readonly dialect: Dialect;
  readonly names: TurnNames;
}

const withoutBody = {
  contentType: null,
  body: Buffer.alloc(0),
  queueName: null,
  mustRepeat: false,
};

const jsonType = 'application/json; charset=utf-8';

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
    const names = newNames(this.identifiers, at);
    return { at, callerIp: caller.address, dialect: this.dialect, names };
  }

  /**
   * What one publish submits; a refusal if the request alone shows that it cannot be carried out,
   * so that the caller learns it at once.
   */
  read(request: PublishRequest, context: RequestContext): Submission | Refusal {
    const { rules } = this;
    const target = this.targets.read(request.destination);
    if (target instanceof Refusal) return this.refusalTo(target, request.rawHeaders, context);
    const input = inputOf(request, target, context);
    const { headers } = input;
    const interpreter = this.interpreterOf(headers);
    const unknown = unknownOptions(headers);
    const typo = this.typoIn(unknown);
    if (typo !== undefined) return interpreter?.refusal(typo, headers) ?? typo;
    if (interpreter !== undefined) {
      return warned(interpreter.read(input, target, rules, context.names), unknown);
    }
    const publish = parsePublish(input, rules);
    if (!publish.ok) return publish;
    const groupName = target.kind === 'group' ? target.text : null;
    return warned(this.submissionOf(publish, groupName, request.body, context), unknown);
  }

  /** What a request submits that came in another way than a publish, as `read` says. */
  readAs(
    read: ReadPublish,
    request: PublishRequest,
    context: RequestContext,
  ): Submission | Refusal {
    const target = this.targets.read(request.destination);
    if (target instanceof Refusal) return target;
    const input = inputOf(request, target, context);
    const unknown = unknownOptions(input.headers);
    const typo = this.typoIn(unknown);
    return typo ?? warned(read(input, target, this.rules, context.names), unknown);
  }

  /** What a schedule or a subscription publishes, again and again, as these headers say. */
  readTemplate(destination: string, request: IncomingMessage): AddressedTemplate | Refusal {
    const target = this.targets.read(destination);
    if (target instanceof Refusal) return target;
    const { rawHeaders } = request;
    const context = this.context({ caller: callerOf(request) });
    const input = inputOf({ destination, rawHeaders, ...withoutBody }, target, context);
    const typo = this.typoIn(unknownOptions(input.headers));
    if (typo !== undefined) return typo;
    const publish = parseTemplate(input, this.rules);
    if (!publish.ok) return publish;
    const topicName = target.kind === 'group' ? target.text : null;
    return messageTemplate(context.at, { ...publish.message, topicName });
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

  private interpreterOf(headers: OptionHeaders): PublishInterpreter | undefined {
    for (const interpreter of this.interpreters) {
      if (interpreter.takes(headers)) return interpreter;
    }
    return undefined;
  }

  private submissionOf(
    { message, schedule }: Extract<PublishParsed, { ok: true }>,
    groupName: string | null,
    body: Buffer,
    { at, names }: RequestContext,
  ): Submission {
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
      : new GroupSubmission(names, at, addressed, body, group);
  }

  private answer(exchange: Exchange, { warnings }: Submission, answer: Answer | Refusal): void {
    if ('message' in answer) {
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
    // Nothing that a run refuses can happen between the turns of one tick.
    if (isWhole) return dispatchAtOnce(engine, commands, true, by);
    return commands.length <= turnCommandsMax
      ? engine.dispatch(commands, by)
      : dispatchAll(engine, commands, by);
  }
}

/**
 * The same request, with what was read of its destination and headers. Field by field: a spread
 * costs a publish some microseconds.
 */
function inputOf(
  { rawHeaders, contentType, body, queueName, mustRepeat }: PublishRequest,
  { text: destination, options }: PublishTarget,
  { at, callerIp, dialect }: RequestContext,
): PublishInput {
  const pairs = options.length === 0 ? rawHeaders : [...rawHeaders, ...options];
  const headers = readMessageOptions(pairs, dialect);
  return {
    destination,
    headers,
    rawHeaders,
    contentType,
    body,
    queueName,
    mustRepeat,
    callerIp,
    at,
  };
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
