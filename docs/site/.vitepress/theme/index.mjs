/** The theme of VitePress, with the colours of the console and with diagrams. */
import Theme from 'vitepress/theme-without-fonts';
import './colours.css';
import Diagram from './diagram.vue';

export default {
  extends: Theme,
  enhanceApp: ({ app }) => app.component('Diagram', Diagram),
};
