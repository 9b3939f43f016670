/**
 * Whether every object has a property of this name already, as with `constructor` or `__proto__`. GraphQL allows such
 * names; reading them from a parsed answer needs a check of ownership, which the compiled paths leave out.
 */
export const isInherited = (name: string): boolean => name in Object.prototype;
