/** Replaces results of a failed run when it is resumed (workflows.md 6.2). Pure. */
import { z } from 'zod';
import { isJsonObject, parseJson } from '../../grammar/json.js';
import { textsIn } from '../../grammar/json-spans.js';
import { ok, type Result, refused } from '../../grammar/result.js';
import { readJsonBody } from '../../http/json-body.js';
import { runStepType } from '../run-state/known-steps.js';
import type { EditStep, StartRun } from '../run-state/run.commands.js';
import { runKind, type StepInfo } from '../run-state/run.events.js';

/** More edits than a person would make. */
const editsMax = 32;

/** The body of `POST /v2/workflows/dlq/resume/{id}`, which may be empty. */
export const resumeSchema = z
  .strictObject({
    steps: z
      .array(
        z.strictObject({
          stepId: z.int().min(1).describe('Id of a step of type Run that has a result'),
          out: z
            .unknown()
            .refine((out) => out !== undefined, 'is missing')
            .describe('The new result of the step, any JSON'),
        }),
      )
      .max(editsMax)
      .optional()
      .describe('Results to replace; those of later steps stay as they are'),
  })
  .meta({ id: 'ResumeRequest' });

/** The new result of a step. */
export interface StepEdit {
  readonly stepId: number;
  /** Any JSON, as it came: its numbers may have more digits than JavaScript's. */
  readonly out: string;
}

/** `{"steps": [{"stepId", "out"}]}`; an empty body replaces nothing. */
export function parseStepEdits(body: Buffer): Result<readonly StepEdit[]> {
  if (body.length === 0) return ok([]);
  const request = readJsonBody(body, resumeSchema);
  if (!request.ok) return request;
  const { steps = [] } = request.value;
  const ids = steps.map(({ stepId }) => stepId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) return refused(`steps: step ${twice} is given twice`);
  const texts = textsIn(textsIn(body.toString()).get('steps') ?? '');
  return ok(
    ids.map((stepId, index) => {
      return { stepId, out: textsIn(texts.get(String(index)) ?? '').get('out') ?? '' };
    }),
  );
}

/** The delivered form of a step with a new result; refused for other types of steps. */
export function editedStep(step: StepInfo, body: Buffer | null, out: string): Result<Buffer> {
  if (step.type !== runStepType) {
    return refused(`steps: step ${step.id} is a ${step.type}: only results of Run are replaced`);
  }
  const known = body === null ? null : parseJson(body);
  const fields = known?.ok === true ? known.value : null;
  if (!isJsonObject(fields)) {
    return refused(`steps: step ${step.id} was not submitted as a JSON object`);
  }
  // Current clients write a result as JSON in a string; older clients write it as plain JSON.
  const { out: former, ...others } = fields;
  const isText = former === undefined || typeof former === 'string';
  const begun = JSON.stringify({ ...others, out: '' }).slice(0, -'""}'.length);
  return ok(Buffer.from(`${begun}${isText ? JSON.stringify(out) : out}}`));
}

/** A replaced result, with its position in the list. */
export interface PlacedEdit {
  readonly step: StepInfo;
  readonly place: number;
  /** The step with the new result, as it is delivered from now on. */
  readonly body: Buffer;
  /** Bytes of the step as it was delivered until now. */
  readonly bytesBefore: number;
}

/**
 * Adds the edits to a start: the run starts with its inheritance, and then each result is replaced
 * in the same turn.
 */
export function editedRun(start: StartRun, edits: readonly PlacedEdit[]): StartRun {
  if (edits.length === 0) return start;
  const grown = start.repeated.map((each) => grownBy(each, edits));
  const edited = new Set<Repeated>();
  const commands = edits.map(({ step, place, body }): EditStep => {
    const repeated = grown.find(({ message: { run } }) => {
      return run?.role === 'step' && run.entry === place;
    });
    if (repeated !== undefined) edited.add(repeated);
    const { id, at } = start;
    return {
      type: 'EditStep',
      kind: runKind,
      id,
      at,
      step,
      place,
      body,
      repeated: repeated ?? null,
    };
  });
  return {
    ...start,
    // The message that delivers a replaced result is published after the replacement.
    repeated: grown.filter((each) => !edited.has(each)),
    handedOver: [...commands, ...start.handedOver],
  };
}

type Repeated = StartRun['repeated'][number];

/** Adjusts the size of a delivery, which includes the bytes of all results before its entry. */
function grownBy(repeated: Repeated, edits: readonly PlacedEdit[]): Repeated {
  const { message } = repeated;
  const { run, bodyBytes } = message;
  if (run?.role !== 'step' || bodyBytes === 0) return repeated;
  const within = edits.filter(({ place }) => place <= run.entry);
  const growth = within.reduce((sum, { body, bytesBefore }) => sum + body.length - bytesBefore, 0);
  // Entries are delivered as Base64.
  const bytes = Math.max(0, bodyBytes + Math.ceil((growth * 4) / 3));
  return { ...repeated, message: { ...message, bodyBytes: bytes } };
}
