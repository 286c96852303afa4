/** `stepwell clock`: shows the time of a development server, or moves it forward. */
import type { Command } from 'commander';
import { exitCodes } from '../../server/lifecycle/exit-codes.js';
import { type ClientOptions, clientCommand, connect } from '../client/client-command.js';
import type { ApiClient, ApiObject } from '../connect/api-client.js';
import { ApiRefusal, ClientError } from '../connect/client-errors.js';
import { durationWords, exactTime } from '../output/time-words.js';

/** Ends with exit code 66 if the server does not run by `stepwell dev`. */
export function clockCommand(): Command {
  return (
    clientCommand('clock', 'show the time of stepwell dev, or move it forward', [
      'stepwell clock',
      'stepwell clock +3d',
    ])
      // Otherwise commander would report a negative duration as an unknown option.
      .allowUnknownOption()
      .argument('[duration]', 'how far: +90s, +3d, +1d10h')
      .action(clock)
  );
}

async function clock(duration: string | undefined, options: ClientOptions): Promise<void> {
  const { api, output } = await connect(options);
  const answer = await asked(api, duration);
  const aheadMs = Number(answer['aheadMs']);
  const ahead = aheadMs === 0 ? 'as on this machine' : `${durationWords(aheadMs)} ahead`;
  await output.one(answer, () => [`${exactTime(Number(answer['now']))}, ${ahead}`]);
}

async function asked(api: ApiClient, duration: string | undefined): Promise<ApiObject> {
  try {
    if (duration === undefined) return await api.get('/admin/clock');
    if (duration.startsWith('-')) throw new ClientError(forwardOnly(duration), exitCodes.usage);
    const forward = duration.replace(/^\+/, '');
    return await api.post('/admin/clock', { body: { forward } });
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error;
    throw new ClientError('only the time of stepwell dev can be moved', exitCodes.notFound);
  }
}

function forwardOnly(given: string): string {
  return /^-\d/.test(given)
    ? `time only moves forward: stepwell clock ${given.replace('-', '+')}`
    : `unknown option '${given}'`;
}
