import { RecordingEndpoint } from './recording-endpoint.js';

/** An endpoint, and what answers the requests that it holds open. */
export interface HoldingEndpoint {
  readonly endpoint: RecordingEndpoint;
  release(): void;
}

/** Holds `/hangs` open until it is released, answers `/fails` with 500 and all else with 200. */
export async function startHoldingEndpoint(): Promise<HoldingEndpoint> {
  const endpoint = await RecordingEndpoint.start();
  const held: (() => void)[] = [];
  endpoint.answer(({ url }) => {
    if (url !== '/hangs') return url === '/fails' ? { status: 500 } : {};
    return new Promise((resolve) => held.push(() => resolve({})));
  });
  return {
    endpoint,
    release() {
      for (const each of held) each();
    },
  };
}
