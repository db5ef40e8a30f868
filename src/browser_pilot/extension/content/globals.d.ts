// Content scripts are no modules: executeScript cannot load modules. Each of these files sets one global in the extension's isolated
// world of a page; the picker and the bench inject them in this order.

/** From `accname.js`, generated from the modules that snapshots use: roles and accessible names. */
declare var browserPilotAccname: {
  roleOf(element: Element): string;
  nameOf(element: Element): string;
};
/** From `selector_generator.js`. */
declare var browserPilotSelectorGenerator: {
  isGenerated(name: string): boolean;
  generateCandidates(description: any): { kind: string; selector: string; fragile: boolean }[];
  rankSelectors(description: any, count: (selector: string) => number): CountedSelector[];
  cssString(value: string): string;
  cssIdentifier(name: string): string;
  xpathLiteral(text: string): string;
};
/** From `page_selectors.js`. */
declare var browserPilotPageSelectors: {
  selectorsOf(element: Element): CountedSelector[];
  findAll(selector: string): Element[];
};
/** From `picker.js`, while it runs. */
declare var browserPilotPicker: { stop(): void } | undefined;
