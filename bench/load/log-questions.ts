/** What the bench asks of the logs: the query, and the messages whose rows answer it. */
import { idOf, propertiesOf, sharing } from '../measure/log-journal.js';

export type QuestionName =
  | 'newest first'
  | 'one message'
  | 'a label'
  | 'a schedule'
  | 'a destination'
  | 'a label, delivered only'
  | 'oldest first, behind a date';

export interface Question {
  /** Query string of `GET /v2/logs`. */
  readonly query: string;
  /** The messages of the first page, by number, in the order of their rows. */
  readonly messages: readonly number[];
  /** How many rows of each. */
  readonly rowsEach: number;
}

/** Messages whose three rows fill a page of a hundred. */
const messagesPerPage = 34;

/** The messages of a journal: how many, and when the first was published, Unix milliseconds. */
export interface Published {
  readonly total: number;
  readonly begin: number;
}

/** A question about the message `number`. */
export function questionOf(
  name: QuestionName,
  number: number,
  { total, begin }: Published,
): Question {
  const { label, scheduleId, url } = propertiesOf(number, total);
  switch (name) {
    case 'newest first':
      return { query: '', messages: newest(total - 1, 1), rowsEach: 3 };
    case 'one message':
      return { query: `messageId=${idOf(number)}`, messages: [number], rowsEach: 3 };
    case 'a label':
      return {
        query: `label=${label}`,
        messages: alike(number, total, sharing.label),
        rowsEach: 3,
      };
    case 'a schedule':
      return {
        query: `scheduleId=${scheduleId}`,
        messages: alike(number, total, sharing.schedule),
        rowsEach: 3,
      };
    case 'a destination':
      return {
        query: `url=${encodeURIComponent(url)}`,
        messages: alike(number, total, sharing.url),
        rowsEach: 3,
      };
    case 'a label, delivered only':
      return {
        query: `label=${label}&state=DELIVERED`,
        messages: alike(number, total, sharing.label, 100),
        rowsEach: 1,
      };
    case 'oldest first, behind a date': {
      // Not so late that less than a page follows.
      const first = Math.max(0, Math.min(number, total - messagesPerPage));
      return {
        query: `order=earliestFirst&fromDate=${begin + first}`,
        messages: newest(Math.min(first + messagesPerPage, total) - 1, 1).reverse(),
        rowsEach: 3,
      };
    }
  }
}

/** The newest messages that share a property with `number`, which one in `step` do. */
function alike(number: number, total: number, size: number, count = messagesPerPage): number[] {
  const step = Math.max(1, Math.floor(total / size));
  const last = number + Math.floor((total - 1 - number) / step) * step;
  return newest(last, step, count);
}

function newest(last: number, step: number, count = messagesPerPage): number[] {
  const numbers: number[] = [];
  for (let number = last; number >= 0 && numbers.length < count; number -= step) {
    numbers.push(number);
  }
  return numbers;
}
