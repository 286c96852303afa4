/** The results of a schedule's last triggers. */
import { Link } from '@tanstack/react-router';
import { State } from '../parts/state-mark.tsx';
import { Loaded } from '../parts/states.tsx';
import { exact } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { useResults } from './load-schedule.ts';

/** The states of messages as on other pages. */
const stateOf: Readonly<Record<string, string>> = {
  SUCCESS: 'DELIVERED',
  FAIL: 'FAILED',
  IN_PROGRESS: 'ACTIVE',
};

export function Results({ id }: { readonly id: string }) {
  const query = useResults(id);
  return (
    <Loaded query={query} lines={3}>
      {({ results }) =>
        results.length === 0 ? (
          <p className="p-3 text-muted">It has not triggered yet.</p>
        ) : (
          results.map(({ time, dueAt, isManual, messageCount, states, error }) => (
            <div
              key={time}
              className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-3 py-2 last:border-0"
            >
              <span className="w-24" title={`due at ${exact(dueAt)}`}>
                <Time at={time} />
              </span>
              {isManual && <span className="text-muted">by hand</span>}
              {error !== undefined && <span className="text-bad">{error}</span>}
              {Object.entries(states).map(([messageId, state]) => (
                <Link
                  key={messageId}
                  to="/messages/$id"
                  params={{ id: messageId }}
                  title={messageId}
                  className="hover:underline"
                >
                  <State of={stateOf[state] ?? state} />
                </Link>
              ))}
              {messageCount > Object.keys(states).length && (
                <span className="text-muted">of {messageCount} messages</span>
              )}
            </div>
          ))
        )
      }
    </Loaded>
  );
}
