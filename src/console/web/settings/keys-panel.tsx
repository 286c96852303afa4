/** The keys that deliveries are signed with: shows them on request, and rotates them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { DangerAction } from '../asking/danger-action.tsx';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/code.tsx';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';

const kinds = ['key'];

export function KeysPanel() {
  const [isShown, setShown] = useState(false);
  return (
    <Panel
      title="Signing keys"
      aside={
        <span className="flex gap-2">
          <Button onClick={() => setShown(!isShown)}>{isShown ? 'Hide' : 'Show'}</Button>
          <DangerAction
            needs="admin"
            look="plain"
            question="Rotate the signing keys?"
            means={
              <>
                The next key becomes the current one, and a new one is made. Receivers that only
                know the current key of today refuse deliveries from then on.
              </>
            }
            confirm="Rotate"
            act={() => ask(api.POST('/v2/keys/rotate'))}
            kinds={kinds}
          >
            Rotate…
          </DangerAction>
        </span>
      }
    >
      {isShown ? (
        <Keys />
      ) : (
        <p className="p-3 text-muted">
          Receivers check deliveries with the current key, and during a rotation with the next one.
        </p>
      )}
    </Panel>
  );
}

function Keys() {
  const keys = useQuery({ queryKey: kinds, queryFn: () => ask(api.GET('/v2/keys')) });
  const shown = (key: string) => (
    <span className="inline-flex items-center gap-1">
      <code className="font-mono text-xs break-all">{key}</code>
      <CopyButton text={key} />
    </span>
  );
  return (
    <Loaded query={keys} lines={2}>
      {({ current, next }) => <Facts of={{ Current: shown(current), Next: shown(next) }} />}
    </Loaded>
  );
}
