/** How a message, an attempt and a log row are shown in tables. */
import { headerText } from '../../grammar/headers.js';
import { fieldsOf } from '../../grammar/json.js';
import type { ApiObject } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { type Paint, shownState } from '../output/style.js';
import type { TableColumn } from '../output/table.js';
import { exactTime, relativeTime } from '../output/time-words.js';
import { oneLine } from './visible.js';

/** A field as text on one line; empty if the field is absent. */
export function textOf(row: ApiObject, field: string): string {
  const value = row[field];
  if (value === undefined || value === null) return '';
  return oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** All labels of a row; the field `label` holds only the first one. */
export function labelsOf(row: ApiObject): string {
  const labels = itemsIn<string>(row, 'labels');
  return labels.length === 0 ? textOf(row, 'label') : oneLine(labels.join(', '));
}

/** A column with the labels of a row. */
export function labelColumn(): TableColumn<ApiObject> {
  return { title: 'label', text: labelsOf, yields: true };
}

/** A column with the value of one field. */
export function fieldColumn(
  title: string,
  field: string,
  options: { readonly isRight?: boolean; readonly yields?: boolean } = {},
): TableColumn<ApiObject> {
  return { title, text: (row) => textOf(row, field), ...options };
}

/** The current time of the server in Unix ms, once it has answered: see `ApiClient.now`. */
export type Now = () => number;

/** A column with a time in Unix ms, shown relative to `now`. */
export function timeColumn(title: string, field: string, now: Now): TableColumn<ApiObject> {
  return {
    title,
    text: (row) => {
      const at = Number(row[field] ?? 0);
      return at === 0 ? '' : relativeTime(at, now());
    },
  };
}

/** A column with the state of a row. */
export const stateColumn: TableColumn<ApiObject> = {
  title: 'state',
  text: (row, paint) => shownState(textOf(row, 'state'), paint),
};

/** Times are shown relative to `now`. */
export function messageColumns(now: Now): readonly TableColumn<ApiObject>[] {
  return [
    fieldColumn('message', 'messageId'),
    stateColumn,
    timeColumn('created', 'createdAt', now),
    { title: 'tried', text: ({ attempts }) => String(attempts ?? 0), isRight: true },
    timeColumn('next', 'nextDeliveryTime', now),
    labelColumn(),
    fieldColumn('url', 'url', { yields: true }),
  ];
}

/** One row of the logs as a line: what happened when, and what the endpoint answered. */
export function logLine(row: ApiObject, paint: Paint): string {
  const parts = [
    paint('dim', exactTime(Number(row['time'] ?? 0))),
    shownState(textOf(row, 'state'), paint),
    textOf(row, 'messageId'),
    textOf(row, 'url'),
    stepName(row),
  ].filter((part) => part !== '');
  const status = Number(row['responseStatus'] ?? 0);
  if (status > 0) parts.push(`answered ${status}`);
  if (row['durationMs'] !== undefined) parts.push(`${textOf(row, 'durationMs')}ms`);
  if (row['error'] !== undefined) parts.push(paint('red', textOf(row, 'error')));
  if (row['nextDeliveryTime'] !== undefined && row['state'] === 'RETRY') {
    parts.push(`next attempt at ${exactTime(Number(row['nextDeliveryTime']))}`);
  }
  return parts.join('  ');
}

/** The name of the step that a run's row is about. */
function stepName({ stepInfo }: ApiObject): string {
  const { stepName: name } = fieldsOf(stepInfo);
  return name === undefined ? '' : oneLine(String(name));
}

/** A time of a row, exact and relative to `now`; '' if it has none. */
export function momentOf(row: ApiObject, field: string, now: number): string {
  const at = row[field];
  return typeof at === 'number' ? `${exactTime(at)}, ${relativeTime(at, now)}` : '';
}

/** Headers of a row, as the server lists them: each name with its values. */
export function headersOf({ header }: ApiObject): string {
  const lines = Object.entries(fieldsOf(header)).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${headerText(String(value))}`),
  );
  return oneLine(lines.join(', '));
}

/** Names and values of one item, aligned in two columns; absent values are left out. */
export function fieldLines(
  fields: readonly (readonly [name: string, value: string])[],
  paint: Paint,
): string[] {
  const shown = fields.filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([name]) => name.length), 0);
  return shown.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${value}`);
}
