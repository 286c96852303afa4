/** Signs in, with a token or with the username and password of the log interface. */
import { type FormEvent, useState } from 'react';
import { type Credential, useSession, useSignIn } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';

export function SignIn() {
  const signIn = useSignIn();
  const needsNothing = useSession().data?.needsNothing === true;
  const [byPassword, setByPassword] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name) ?? '').trim();
    const credential: Credential = byPassword
      ? { username: text('username'), password: text('password') }
      : { token: text('token') };
    signIn.mutate(credential);
  };
  return (
    <main className="mx-auto mt-[12vh] w-full max-w-sm px-4">
      <h1 className="mb-4 text-xl font-bold">Stepwell</h1>
      <form onSubmit={submit} className="rounded-lg border border-line bg-surface p-4">
        {byPassword ? <PasswordFields /> : <TokenField />}
        {signIn.error !== null && (
          <p role="alert" className="mb-3 text-bad">
            {signIn.error.message}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" look="main" disabled={signIn.isPending}>
            Sign in
          </Button>
          <Button onClick={() => setByPassword(!byPassword)}>
            {byPassword ? 'With a token' : 'With username and password'}
          </Button>
          {needsNothing && (
            <Button onClick={() => signIn.mutate({})} disabled={signIn.isPending}>
              As developer
            </Button>
          )}
        </div>
      </form>
      <p className="mt-3 text-muted">
        The first start of the server printed its token; <code>credentials.json</code> in its data
        folder has it. With a read token the console shows everything and changes nothing.
      </p>
    </main>
  );
}

function PasswordFields() {
  return (
    <>
      <TextField label="Username" name="username" autoComplete="username" required />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
    </>
  );
}

function TokenField() {
  return (
    <>
      {/* Browsers save the token under this user name. */}
      <input hidden readOnly name="username" autoComplete="username" value="token" />
      <TextField
        label="Token"
        name="token"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
      />
    </>
  );
}
