/** What a delivery says of the workflow run that it belongs to (workflows.md 2.1). Pure. */
import type { RunPlace } from './message.events.js';

/** The one version of the protocol that there is; SDKs refuse any other. */
export const protocolVersion = '1';

const callTypes = { callResult: 'fromCallback', failureCallback: 'failureCall' } as const;

type Place = Pick<RunPlace, 'role' | 'runId' | 'url' | 'createdAt' | 'entry'>;

/**
 * Names and values in turn. A third party gets no headers of the run; and only a step says the
 * protocol's version: SDKs take its absence for a message that is no list of entries.
 */
export function runHeaders(place: Place, prefix: string): readonly string[] {
  const { role, runId, url, createdAt, entry } = place;
  if (role === 'call') return [];
  const isInit = role === 'step' && entry === 0;
  const said = [
    `${prefix}Workflow-RunId`,
    runId,
    `${prefix}Workflow-Url`,
    url,
    `${prefix}Workflow-CreatedAt`,
    String(createdAt),
    `${prefix}Workflow-Init`,
    String(isInit),
  ];
  return role === 'step'
    ? [...said, `${prefix}Workflow-Sdk-Version`, protocolVersion]
    : [...said, `${prefix}Workflow-CallType`, callTypes[role]];
}
