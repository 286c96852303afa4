/** The theme of VitePress, with the colours of the console. */
import Theme from 'vitepress/theme-without-fonts';
import './colours.css';

export default Theme;
