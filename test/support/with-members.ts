/** The object with these members, some perhaps in the place of its own; all others stay its own, whatever class it is of. */
export function withMembers<T extends object>(target: T, members: Partial<T>): T;
export function withMembers<T extends object, M extends object>(target: T, members: M): T & M;
export function withMembers<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get: (own, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name) as unknown;
      const member: unknown = Reflect.get(own, name);
      return typeof member === 'function' ? (member.bind(own) as unknown) : member;
    },
  });
}
