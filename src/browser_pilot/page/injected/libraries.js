// Third-party scripts that Python has put into this world, by name (see World.lend).

/** @type {Record<string, any>} */
export const libraries = {};
