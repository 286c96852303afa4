/** Values in the JSON encoding of OTLP (OTLP 1, "JSON Protobuf Encoding"). Pure. */

export interface OtlpAttribute {
  readonly key: string;
  readonly value:
    | { readonly stringValue: string }
    | { readonly intValue: string }
    | { readonly doubleValue: number };
}

/** Longer texts are cut: an error may quote the answer of a destination. */
const charactersMax = 1024;

/** Attributes of a span, a point or a resource; texts are cut at 1,024 characters. */
export function otlpAttributes(values: Readonly<Record<string, string | number>>): OtlpAttribute[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(value: string | number) {
  if (typeof value === 'string') return { stringValue: value.slice(0, charactersMax) };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Unix ms as nanoseconds, which exceed the precision of a JSON number. */
export function otlpTime(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}

/** The resource that a request is about; `resource` alternates names and values. */
export function otlpResource(resource: readonly string[]) {
  const values: Record<string, string> = {};
  for (let index = 0; index + 1 < resource.length; index += 2) {
    values[resource[index] ?? ''] = resource[index + 1] ?? '';
  }
  return { attributes: otlpAttributes(values) };
}
