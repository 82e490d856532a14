import { css } from 'lit';

/**
 * The look of the element. A merchant changes it by the custom properties `--carat-*` of the host, and by `::part()`:
 * card, merchant, amount, button, wallet, status, items, footer.
 */
export const styles = css`
  :host {
    --_surface: var(--carat-surface, #ffffff);
    --_text: var(--carat-text, #14171f);
    --_muted: var(--carat-muted, #545b6b);
    --_line: var(--carat-line, #8a90a0);
    --_soft: var(--carat-soft, #f2f4f8);
    --_accent: var(--carat-accent, #2348c7);
    --_on-accent: var(--carat-on-accent, #ffffff);
    --_bad: #a3161b;
    --_good: #116632;
    --_radius: var(--carat-radius, 12px);
    display: block;
    container-type: inline-size;
    font: 1rem/1.5 var(--carat-font, system-ui, sans-serif);
    color: var(--_text);
    color-scheme: light dark;
  }
  @media (prefers-color-scheme: dark) {
    :host(:not([theme='light'])) {
      --_surface: var(--carat-surface, #171a21);
      --_text: var(--carat-text, #f1f3f8);
      --_muted: var(--carat-muted, #b3bac9);
      --_line: var(--carat-line, #767e90);
      --_soft: var(--carat-soft, #242935);
      --_accent: var(--carat-accent, #9db4ff);
      --_on-accent: var(--carat-on-accent, #0d1120);
      --_bad: #ff9c9c;
      --_good: #7fdca0;
    }
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
  }
  .card {
    max-width: 30rem;
    margin: 0 auto;
    padding: clamp(1rem, 5cqi, 2rem);
    background: var(--_surface);
    border-radius: var(--_radius);
    overflow-wrap: anywhere;
  }
  .merchant {
    display: flex;
    align-items: center;
    gap: 0.75rem;
    margin: 0 0 1rem;
    font-size: 1.05rem;
    font-weight: 600;
  }
  .merchant img {
    inline-size: 2.5rem;
    block-size: 2.5rem;
    object-fit: contain;
    border-radius: 6px;
  }
  .amount {
    margin: 0;
    font-size: clamp(1.6rem, 9cqi, 2.4rem);
    font-weight: 700;
    line-height: 1.2;
  }
  .muted,
  dt {
    color: var(--_muted);
  }
  .muted,
  dl,
  details {
    font-size: 0.92rem;
  }
  p {
    margin: 0.5rem 0;
  }
  dl {
    display: grid;
    grid-template-columns: auto 1fr;
    align-items: center;
    gap: 0.25rem 1rem;
    margin: 1rem 0;
  }
  dd {
    margin: 0;
    text-align: end;
  }
  .status {
    margin: 1.25rem 0 1rem;
    padding: 0.75rem 1rem;
    background: var(--_soft);
    border-radius: 8px;
    border-inline-start: 4px solid var(--_accent);
  }
  .status.bad {
    border-color: var(--_bad);
  }
  .status.good {
    border-color: var(--_good);
    font-size: 1.15rem;
    font-weight: 600;
  }
  .stack {
    display: grid;
    gap: 0.6rem;
    margin: 0.75rem 0;
    padding: 0;
    list-style: none;
  }
  button,
  .link {
    display: flex;
    align-items: center;
    justify-content: center;
    gap: 0.75rem;
    inline-size: 100%;
    min-block-size: 2.75rem;
    padding: 0.5rem 1rem;
    font: inherit;
    font-weight: 600;
    color: var(--_text);
    background: transparent;
    border: 1px solid var(--_line);
    border-radius: 8px;
    cursor: pointer;
    text-align: center;
    text-decoration: none;
  }
  button.main,
  .link.main {
    color: var(--_on-accent);
    background: var(--_accent);
    border-color: var(--_accent);
  }
  button.plain,
  .link.plain {
    border-color: transparent;
    color: var(--_accent);
    text-decoration: underline;
  }
  button[disabled] {
    cursor: default;
    opacity: 0.6;
  }
  button img {
    inline-size: 1.75rem;
    block-size: 1.75rem;
    border-radius: 6px;
  }
  .address {
    font-family: ui-monospace, monospace;
  }
  .address summary {
    justify-content: end;
    color: inherit;
    text-decoration: underline dotted;
  }
  :focus-visible {
    outline: 3px solid var(--_accent);
    outline-offset: 2px;
  }
  summary {
    min-block-size: 2.75rem;
    display: flex;
    align-items: center;
    cursor: pointer;
    color: var(--_accent);
    text-decoration: underline;
  }
  .items {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .items li {
    display: flex;
    justify-content: space-between;
    gap: 1rem;
    padding: 0.25rem 0;
  }
  .qr {
    display: block;
    inline-size: min(100%, 15rem);
    margin: 0.5rem auto;
    padding: 0.75rem;
    background: #ffffff;
    border-radius: 8px;
  }
  progress {
    inline-size: 100%;
    block-size: 0.5rem;
    margin: 0.5rem 0;
    accent-color: var(--_accent);
  }
  .spin {
    display: inline-block;
    inline-size: 1em;
    block-size: 1em;
    margin-inline-end: 0.5em;
    vertical-align: -0.125em;
    border: 2px solid var(--_line);
    border-block-start-color: var(--_accent);
    border-radius: 50%;
    animation: turn 1s linear infinite;
  }
  @keyframes turn {
    to {
      transform: rotate(1turn);
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .spin {
      animation: none;
    }
  }
  @media (forced-colors: active) {
    button,
    .link {
      border-color: ButtonText;
    }
  }
`;
