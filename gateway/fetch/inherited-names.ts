/**
 * Whether every object inherits a property of this name, such as `constructor` or `__proto__`. GraphQL allows such names,
 * but reading them from a parsed answer needs `Object.hasOwn`, which the compiled executor leaves out for speed.
 */
export const isInherited = (name: string): boolean => name in Object.prototype;
