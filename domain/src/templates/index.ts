export { type SetTemplate, decide, type TemplateDecision } from './decide.js';
export {
  defaultTemplate,
  languageOf,
  templateInForce,
  escapeHtml,
  fillTemplate,
  placeholders,
  type TemplateParts,
  type TemplateValues,
} from './defaults.js';
export { evolve, type TemplateEvent, initialState, type TemplatesState } from './evolve.js';
export type { TemplateProblem, TemplateRejection } from './check.js';
