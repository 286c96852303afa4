/**
 * Generates example JSON from a schema: each field has a value of its type, and well-known fields
 * have a realistic one. Pure.
 */
import { isObject, type Json, type JsonObject } from './json.js';

/** Named schemas, as in `components`. */
export type Components = Readonly<Record<string, Json>>;

const at = 1_790_000_000_000;

/** Realistic values by field name. */
const known: Readonly<Record<string, Json>> = {
  messageId: 'msg_26hZCxZCuWyyTWPmSVBrNC1RADwpgWxPcak2rQD51EMjFMuzcW7qYXpPiDyw8Gd',
  workflowRunId: 'wfr_order-7',
  scheduleId: 'scd_daily-report',
  dlqId: '1790000000000-0s00',
  jobId: 'job_01K5NNM7V0Q3S8T2Z5X9C4B6AD',
  url: 'https://example.com/hook',
  destination: 'https://example.com/hook',
  workflowUrl: 'https://example.com/order',
  callback: 'https://example.com/done',
  failureCallback: 'https://example.com/failed',
  origin: 'https://example.com',
  method: 'POST',
  label: 'orders',
  labels: ['orders'],
  queueName: 'mails',
  flowControlKey: 'billing-api',
  cron: '0 9 * * 1-5',
  callerIP: '192.0.2.7',
  callerIp: '192.0.2.7',
  address: '192.0.2.7',
  error: 'the destination answered 500',
  responseStatus: 500,
  topic: 'rides',
  name: 'orders',
  group: 'billing',
  partition: 0,
  offset: 1042,
  key: 'driver-3',
  body: '{"order":7}',
  stepName: 'charge',
  role: 'operate',
  verb: 'retry',
  over: 'deadLetters',
};

/** The example of a schema; undefined if the schema does not define a value. */
export function sampleOf(schema: JsonObject, components: Components): Json | undefined {
  return sample(schema, '', { components, within: [] });
}

interface Place {
  readonly components: Components;
  /**
   * The names of the enclosing schemas, which ends the recursion of a schema that contains itself.
   */
  readonly within: readonly string[];
}

function sample(schema: JsonObject, name: string, place: Place): Json | undefined {
  const { $ref, type, properties, items, description } = schema;
  if (typeof $ref === 'string') return named($ref.slice($ref.lastIndexOf('/') + 1), name, place);
  if (schema['const'] !== undefined) return schema['const'];
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) return sample(inherited(choices[0], description), name, place);
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const kind = Array.isArray(type) ? type[0] : type;
  const value = known[name];
  if (value !== undefined && fits(value, String(kind), schema)) return value;
  if (kind === 'object')
    return isObject(properties) ? fields(properties, place) : rest(schema, place);
  if (kind === 'array') {
    const element = isObject(items) ? sample(items, singular(name), place) : undefined;
    return element === undefined ? [] : [element];
  }
  return plain(String(kind), schema);
}

function named(name: string, field: string, place: Place): Json | undefined {
  const schema = place.components[name];
  if (!isObject(schema) || place.within.includes(name)) return undefined;
  return sample(schema, field, { ...place, within: [...place.within, name] });
}

function fields(properties: JsonObject, place: Place): Json {
  const made: JsonObject = {};
  for (const [name, field] of Object.entries(properties)) {
    const value = isObject(field) ? sample(field, name, place) : undefined;
    if (value !== undefined) made[name] = value;
  }
  return made;
}

/** For an object whose names are not fixed: an example with one name. */
function rest({ additionalProperties, propertyNames }: JsonObject, place: Place): Json {
  if (!isObject(additionalProperties)) return {};
  const names = isObject(propertyNames) ? propertyNames['enum'] : undefined;
  const name = Array.isArray(names) ? String(names[0]) : 'name';
  const value = sample(additionalProperties, '', place);
  return value === undefined ? {} : { [name]: value };
}

function plain(kind: string, schema: JsonObject): Json | undefined {
  const { description = '', minimum, format, pattern } = schema;
  switch (kind) {
    case 'string':
      if (format === 'date-time') return new Date(at).toISOString();
      return pattern === undefined ? 'text' : undefined;
    case 'integer':
    case 'number':
      if (/Unix milliseconds/.test(String(description))) return at;
      return typeof minimum === 'number' && minimum > 0 ? minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return undefined;
  }
}

/** An alternative inherits the description of the whole schema. */
function inherited(choice: Json | undefined, description: Json | undefined): JsonObject {
  const schema = isObject(choice) ? choice : {};
  return description === undefined ? schema : { description, ...schema };
}

/** Whether a known value matches the type and bounds of a schema. */
function fits(value: Json, kind: string, { minimum, maximum, pattern }: JsonObject): boolean {
  if (pattern !== undefined) return false;
  if (Array.isArray(value)) return kind === 'array';
  if (typeof value !== 'number') return typeof value === kind;
  const isWithin = value >= Number(minimum ?? value) && value <= Number(maximum ?? value);
  return isWithin && (kind === 'integer' || kind === 'number');
}

/** `labels` becomes `label`: the name of an element. */
function singular(name: string): string {
  return name.replace(/s$/, '');
}
