/** Banners for every page: the server is unreachable, is read-only, or has warnings. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, ask } from '../api/client.ts';
import { useConnection } from '../api/connection.ts';
import { State } from '../parts/state-mark.tsx';
import { now } from '../time/clock.ts';
import { moment } from '../time/format.ts';

const healthMs = 10_000;

export function Banners() {
  const { isUp, answeredAt } = useConnection();
  const health = useQuery({
    queryKey: ['health'],
    queryFn: () => ask(api.GET('/health/ready')),
    refetchInterval: healthMs,
  });
  const { state, reason, warnings = [] } = health.data ?? {};
  return (
    <div aria-live="polite">
      {!isUp && (
        <Banner state="DAMAGED" word="Not connected">
          The server does not answer. This page shows its state of {moment(answeredAt, now())}, and
          asks again.
        </Banner>
      )}
      {isUp && state === 'readOnly' && (
        <Banner state="WARNING" word="Read only">
          The server changes nothing: {reason}
        </Banner>
      )}
      {isUp &&
        warnings.map((warning) => (
          <Banner key={warning} state="WARNING" word="Warning">
            {warning}
          </Banner>
        ))}
    </div>
  );
}

function Banner({
  state,
  word,
  children,
}: {
  readonly state: string;
  readonly word: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 border-b border-line bg-surface px-3 py-2 sm:px-6">
      <strong>
        <State of={state} word={word} />
      </strong>
      <span>{children}</span>
    </div>
  );
}
