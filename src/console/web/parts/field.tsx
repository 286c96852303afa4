/** Form fields: a label with an input below. */
import { type ComponentProps, useId, useState } from 'react';

const classes =
  'w-full rounded-md border border-control bg-surface px-2 py-1.5 placeholder:text-muted';

type Labelled<Element extends 'input' | 'textarea' | 'select'> = Omit<
  ComponentProps<Element>,
  'className' | 'id'
> & { readonly label: string; readonly hint?: string };

function Labels({ id, label, hint }: { id: string; label: string; hint: string | undefined }) {
  return (
    <label htmlFor={id} className="mb-1 block font-medium">
      {label}
      {hint !== undefined && <span className="ml-2 font-normal text-muted">{hint}</span>}
    </label>
  );
}

/** A field of one line; `hint` is beside the label. */
export function TextField({ label, hint, ...props }: Labelled<'input'>) {
  const id = useId();
  return (
    <div className="mb-3">
      <Labels {...{ id, label, hint }} />
      <input id={id} {...props} className={`h-8 ${classes}`} />
    </div>
  );
}

/** A field of several lines, in code style. */
export function TextArea({ label, hint, ...props }: Labelled<'textarea'>) {
  const id = useId();
  return (
    <div className="mb-3">
      <Labels {...{ id, label, hint }} />
      <textarea id={id} rows={5} {...props} className={`font-mono text-xs ${classes}`} />
    </div>
  );
}

/** A choice between several options, which are its children. */
export function Choice({ label, hint, ...props }: Labelled<'select'>) {
  const id = useId();
  return (
    <div className="mb-3">
      <Labels {...{ id, label, hint }} />
      <select id={id} {...props} className={`h-8 ${classes}`} />
    </div>
  );
}

/** The values typed into the fields of a draft, and the properties for each field. */
export function useFields<Draft extends { readonly [Name in keyof Draft]: string }>(draft: Draft) {
  const [typed, setTyped] = useState(draft);
  const field = <Name extends keyof Draft>(name: Name): FieldProps => ({
    value: typed[name],
    onChange: (event) => setTyped({ ...typed, [name]: event.target.value }),
  });
  return { typed, field };
}

/** What a field shows, and its reaction to typing. */
interface FieldProps {
  readonly value: string;
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
}
