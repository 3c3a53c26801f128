export interface Events<E> {
  readonly kind: 'events';
  readonly events: E;
}

export interface Refused<R> {
  readonly kind: 'refused';
  readonly rejection: R;
}

export interface Nothing {
  readonly kind: 'nothing';
}

export const refused = <R>(rejection: R): Refused<R> => ({ kind: 'refused', rejection });

/** `E` is the list of events that happen, `R` why the command is refused. */
export type Decision<E, R> = Events<E> | Refused<R> | Nothing;
