/** The log for people: `12:00:01 delivered POST ...`, with the level only if it is not `info`. */
import { type DestinationStream, type LogDescriptor, pino } from 'pino';
import pinoPretty from 'pino-pretty';
import { visibleText } from './visible-text.js';

type Colors = Parameters<pinoPretty.MessageFormatFunc>[3]['colors'];

/** Fields that the text of a line already contains; JSON lines keep them for programs. */
const saidInText = 'messageId,workflowRunId';

/**
 * Passes each line on to `destination` at once. Stacks and the like follow their line, indented.
 */
export function prettyLines(destination: DestinationStream, hasColors: boolean): DestinationStream {
  const pretty = pinoPretty.prettyFactory({
    colorize: hasColors,
    singleLine: true,
    ignore: saidInText,
    customColors: 'message:reset',
    // The text has both, without the colon that the default would insert.
    customPrettifiers: { time: () => '', level: () => '' },
    messageFormat: (log, messageKey, _label, { colors }) =>
      `${colors.gray(timeOf(log))} ${levelOf(log, colors)}${visibleText(String(log[messageKey] ?? ''))}`,
  });
  return { write: (line: string) => destination.write(pretty(line)) };
}

/** The local time of day. */
function timeOf({ time }: LogDescriptor): string {
  return new Date(time).toLocaleTimeString('en-GB');
}

function levelOf({ level }: LogDescriptor, colors: Colors): string {
  const label = pino.levels.labels[level] ?? '';
  if (label === 'info') return '';
  if (label === 'warn') return `${colors.yellow('WARN')} `;
  if (label === 'error' || label === 'fatal') return `${colors.red(label.toUpperCase())} `;
  return `${colors.gray(label)} `;
}
