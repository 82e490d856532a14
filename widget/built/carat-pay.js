var _={ar:"DTpUB4lKOXJZyXm0N3oFStF4TKb5oQ5J8lXuCsvnTZk=",de:"Nne5o7yUwKB0oxf1w128uD5KcDFOr64Oh5mgIvmVO7k=",es:"MY/5ZzhITyO4AiJ5ELHeH6Og4b6PX8Ovc6e5R/S5n24=",fr:"RrICwidd0iSCrs+WdtjtD/HwaeZIPycQ5Q3OnS6ty9w=",ja:"YTt9OvCYjud0ttPv3V3WA87gpnvLhZ5UrJD9hbmiZoc=",pt:"Cr0l6E60uqBmaKWAr+wJusA523pgxJpy3fhLkTUotSw=",zh:"uWgASZVBa8FWrJZP+SqL+cVPWr6W22uti9IvO4BQ/R8="};var se=globalThis,ae=se.ShadowRoot&&(se.ShadyCSS===void 0||se.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,_e=Symbol(),Qe=new WeakMap,X=class{constructor(e,n,r){if(this._$cssResult$=!0,r!==_e)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=n}get styleSheet(){let e=this.o,n=this.t;if(ae&&e===void 0){let r=n!==void 0&&n.length===1;r&&(e=Qe.get(n)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),r&&Qe.set(n,e))}return e}toString(){return this.cssText}},Ge=t=>new X(typeof t=="string"?t:t+"",void 0,_e),be=(t,...e)=>{let n=t.length===1?t[0]:e.reduce((r,o,s)=>r+(a=>{if(a._$cssResult$===!0)return a.cssText;if(typeof a=="number")return a;throw Error("Value passed to 'css' function must be a 'css' function result: "+a+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(o)+t[s+1],t[0]);return new X(n,t,_e)},Xe=(t,e)=>{if(ae)t.adoptedStyleSheets=e.map(n=>n instanceof CSSStyleSheet?n:n.styleSheet);else for(let n of e){let r=document.createElement("style"),o=se.litNonce;o!==void 0&&r.setAttribute("nonce",o),r.textContent=n.cssText,t.appendChild(r)}},ve=ae?t=>t:t=>t instanceof CSSStyleSheet?(e=>{let n="";for(let r of e.cssRules)n+=r.cssText;return Ge(n)})(t):t;var{is:nn,defineProperty:rn,getOwnPropertyDescriptor:on,getOwnPropertyNames:sn,getOwnPropertySymbols:an,getPrototypeOf:ln}=Object,ie=globalThis,Ze=ie.trustedTypes,cn=Ze?Ze.emptyScript:"",un=ie.reactiveElementPolyfillSupport,Z=(t,e)=>t,$e={toAttribute(t,e){switch(e){case Boolean:t=t?cn:null;break;case Object:case Array:t=t==null?t:JSON.stringify(t)}return t},fromAttribute(t,e){let n=t;switch(e){case Boolean:n=t!==null;break;case Number:n=t===null?null:Number(t);break;case Object:case Array:try{n=JSON.parse(t)}catch{n=null}}return n}},tt=(t,e)=>!nn(t,e),et={attribute:!0,type:String,converter:$e,reflect:!1,useDefault:!1,hasChanged:tt};Symbol.metadata??=Symbol("metadata"),ie.litPropertyMetadata??=new WeakMap;var U=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,n=et){if(n.state&&(n.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((n=Object.create(n)).wrapped=!0),this.elementProperties.set(e,n),!n.noAccessor){let r=Symbol(),o=this.getPropertyDescriptor(e,r,n);o!==void 0&&rn(this.prototype,e,o)}}static getPropertyDescriptor(e,n,r){let{get:o,set:s}=on(this.prototype,e)??{get(){return this[n]},set(a){this[n]=a}};return{get:o,set(a){let i=o?.call(this);s?.call(this,a),this.requestUpdate(e,i,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??et}static _$Ei(){if(this.hasOwnProperty(Z("elementProperties")))return;let e=ln(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(Z("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Z("properties"))){let n=this.properties,r=[...sn(n),...an(n)];for(let o of r)this.createProperty(o,n[o])}let e=this[Symbol.metadata];if(e!==null){let n=litPropertyMetadata.get(e);if(n!==void 0)for(let[r,o]of n)this.elementProperties.set(r,o)}this._$Eh=new Map;for(let[n,r]of this.elementProperties){let o=this._$Eu(n,r);o!==void 0&&this._$Eh.set(o,n)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let n=[];if(Array.isArray(e)){let r=new Set(e.flat(1/0).reverse());for(let o of r)n.unshift(ve(o))}else e!==void 0&&n.push(ve(e));return n}static _$Eu(e,n){let r=n.attribute;return r===!1?void 0:typeof r=="string"?r:typeof e=="string"?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,n=this.constructor.elementProperties;for(let r of n.keys())this.hasOwnProperty(r)&&(e.set(r,this[r]),delete this[r]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Xe(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,n,r){this._$AK(e,r)}_$ET(e,n){let r=this.constructor.elementProperties.get(e),o=this.constructor._$Eu(e,r);if(o!==void 0&&r.reflect===!0){let s=(r.converter?.toAttribute!==void 0?r.converter:$e).toAttribute(n,r.type);this._$Em=e,s==null?this.removeAttribute(o):this.setAttribute(o,s),this._$Em=null}}_$AK(e,n){let r=this.constructor,o=r._$Eh.get(e);if(o!==void 0&&this._$Em!==o){let s=r.getPropertyOptions(o),a=typeof s.converter=="function"?{fromAttribute:s.converter}:s.converter?.fromAttribute!==void 0?s.converter:$e;this._$Em=o;let i=a.fromAttribute(n,s.type);this[o]=i??this._$Ej?.get(o)??i,this._$Em=null}}requestUpdate(e,n,r,o=!1,s){if(e!==void 0){let a=this.constructor;if(o===!1&&(s=this[e]),r??=a.getPropertyOptions(e),!((r.hasChanged??tt)(s,n)||r.useDefault&&r.reflect&&s===this._$Ej?.get(e)&&!this.hasAttribute(a._$Eu(e,r))))return;this.C(e,n,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(e,n,{useDefault:r,reflect:o,wrapped:s},a){r&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,a??n??this[e]),s!==!0||a!==void 0)||(this._$AL.has(e)||(this.hasUpdated||r||(n=void 0),this._$AL.set(e,n)),o===!0&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(n){Promise.reject(n)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[o,s]of this._$Ep)this[o]=s;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[o,s]of r){let{wrapped:a}=s,i=this[o];a!==!0||this._$AL.has(o)||i===void 0||this.C(o,void 0,s,i)}}let e=!1,n=this._$AL;try{e=this.shouldUpdate(n),e?(this.willUpdate(n),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(n)):this._$EM()}catch(r){throw e=!1,this._$EM(),r}e&&this._$AE(n)}willUpdate(e){}_$AE(e){this._$EO?.forEach(n=>n.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(n=>this._$ET(n,this[n])),this._$EM()}updated(e){}firstUpdated(e){}};U.elementStyles=[],U.shadowRootOptions={mode:"open"},U[Z("elementProperties")]=new Map,U[Z("finalized")]=new Map,un?.({ReactiveElement:U}),(ie.reactiveElementVersions??=[]).push("2.1.2");var Ce=globalThis,nt=t=>t,le=Ce.trustedTypes,rt=le?le.createPolicy("lit-html",{createHTML:t=>t}):void 0,ct="$lit$",B=`lit$${Math.random().toFixed(9).slice(2)}$`,ut="?"+B,dn=`<${ut}>`,V=document,te=()=>V.createComment(""),ne=t=>t===null||typeof t!="object"&&typeof t!="function",Ee=Array.isArray,pn=t=>Ee(t)||typeof t?.[Symbol.iterator]=="function",ke=`[ 	
\f\r]`,ee=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,ot=/-->/g,st=/>/g,F=RegExp(`>|${ke}(?:([^\\s"'>=/]+)(${ke}*=${ke}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),at=/'/g,it=/"/g,dt=/^(?:script|style|textarea|title)$/i,Re=t=>(e,...n)=>({_$litType$:t,strings:e,values:n}),h=Re(1),pt=Re(2),Tr=Re(3),z=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),lt=new WeakMap,H=V.createTreeWalker(V,129);function ht(t,e){if(!Ee(t)||!t.hasOwnProperty("raw"))throw Error("invalid template strings array");return rt!==void 0?rt.createHTML(e):e}var hn=(t,e)=>{let n=t.length-1,r=[],o,s=e===2?"<svg>":e===3?"<math>":"",a=ee;for(let i=0;i<n;i++){let l=t[i],c,d,u=-1,y=0;for(;y<l.length&&(a.lastIndex=y,d=a.exec(l),d!==null);)y=a.lastIndex,a===ee?d[1]==="!--"?a=ot:d[1]!==void 0?a=st:d[2]!==void 0?(dt.test(d[2])&&(o=RegExp("</"+d[2],"g")),a=F):d[3]!==void 0&&(a=F):a===F?d[0]===">"?(a=o??ee,u=-1):d[1]===void 0?u=-2:(u=a.lastIndex-d[2].length,c=d[1],a=d[3]===void 0?F:d[3]==='"'?it:at):a===it||a===at?a=F:a===ot||a===st?a=ee:(a=F,o=void 0);let g=a===F&&t[i+1].startsWith("/>")?" ":"";s+=a===ee?l+dn:u>=0?(r.push(c),l.slice(0,u)+ct+l.slice(u)+B+g):l+B+(u===-2?i:g)}return[ht(t,s+(t[n]||"<?>")+(e===2?"</svg>":e===3?"</math>":"")),r]},re=class t{constructor({strings:e,_$litType$:n},r){let o;this.parts=[];let s=0,a=0,i=e.length-1,l=this.parts,[c,d]=hn(e,n);if(this.el=t.createElement(c,r),H.currentNode=this.el.content,n===2||n===3){let u=this.el.content.firstChild;u.replaceWith(...u.childNodes)}for(;(o=H.nextNode())!==null&&l.length<i;){if(o.nodeType===1){if(o.hasAttributes())for(let u of o.getAttributeNames())if(u.endsWith(ct)){let y=d[a++],g=o.getAttribute(u).split(B),w=/([.?@])?(.*)/.exec(y);l.push({type:1,index:s,name:w[2],strings:g,ctor:w[1]==="."?xe:w[1]==="?"?Se:w[1]==="@"?Ae:J}),o.removeAttribute(u)}else u.startsWith(B)&&(l.push({type:6,index:s}),o.removeAttribute(u));if(dt.test(o.tagName)){let u=o.textContent.split(B),y=u.length-1;if(y>0){o.textContent=le?le.emptyScript:"";for(let g=0;g<y;g++)o.append(u[g],te()),H.nextNode(),l.push({type:2,index:++s});o.append(u[y],te())}}}else if(o.nodeType===8)if(o.data===ut)l.push({type:2,index:s});else{let u=-1;for(;(u=o.data.indexOf(B,u+1))!==-1;)l.push({type:7,index:s}),u+=B.length-1}s++}}static createElement(e,n){let r=V.createElement("template");return r.innerHTML=e,r}};function K(t,e,n=t,r){if(e===z)return e;let o=r!==void 0?n._$Co?.[r]:n._$Cl,s=ne(e)?void 0:e._$litDirective$;return o?.constructor!==s&&(o?._$AO?.(!1),s===void 0?o=void 0:(o=new s(t),o._$AT(t,n,r)),r!==void 0?(n._$Co??=[])[r]=o:n._$Cl=o),o!==void 0&&(e=K(t,o._$AS(t,e.values),o,r)),e}var Pe=class{constructor(e,n){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:n},parts:r}=this._$AD,o=(e?.creationScope??V).importNode(n,!0);H.currentNode=o;let s=H.nextNode(),a=0,i=0,l=r[0];for(;l!==void 0;){if(a===l.index){let c;l.type===2?c=new oe(s,s.nextSibling,this,e):l.type===1?c=new l.ctor(s,l.name,l.strings,this,e):l.type===6&&(c=new Te(s,this,e)),this._$AV.push(c),l=r[++i]}a!==l?.index&&(s=H.nextNode(),a++)}return H.currentNode=V,o}p(e){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(e,r,n),n+=r.strings.length-2):r._$AI(e[n])),n++}},oe=class t{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,n,r,o){this.type=2,this._$AH=m,this._$AN=void 0,this._$AA=e,this._$AB=n,this._$AM=r,this.options=o,this._$Cv=o?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,n=this._$AM;return n!==void 0&&e?.nodeType===11&&(e=n.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,n=this){e=K(this,e,n),ne(e)?e===m||e==null||e===""?(this._$AH!==m&&this._$AR(),this._$AH=m):e!==this._$AH&&e!==z&&this._(e):e._$litType$!==void 0?this.$(e):e.nodeType!==void 0?this.T(e):pn(e)?this.k(e):this._(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==m&&ne(this._$AH)?this._$AA.nextSibling.data=e:this.T(V.createTextNode(e)),this._$AH=e}$(e){let{values:n,_$litType$:r}=e,o=typeof r=="number"?this._$AC(e):(r.el===void 0&&(r.el=re.createElement(ht(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===o)this._$AH.p(n);else{let s=new Pe(o,this),a=s.u(this.options);s.p(n),this.T(a),this._$AH=s}}_$AC(e){let n=lt.get(e.strings);return n===void 0&&lt.set(e.strings,n=new re(e)),n}k(e){Ee(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,o=0;for(let s of e)o===n.length?n.push(r=new t(this.O(te()),this.O(te()),this,this.options)):r=n[o],r._$AI(s),o++;o<n.length&&(this._$AR(r&&r._$AB.nextSibling,o),n.length=o)}_$AR(e=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);e!==this._$AB;){let r=nt(e).nextSibling;nt(e).remove(),e=r}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},J=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,n,r,o,s){this.type=1,this._$AH=m,this._$AN=void 0,this.element=e,this.name=n,this._$AM=o,this.options=s,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=m}_$AI(e,n=this,r,o){let s=this.strings,a=!1;if(s===void 0)e=K(this,e,n,0),a=!ne(e)||e!==this._$AH&&e!==z,a&&(this._$AH=e);else{let i=e,l,c;for(e=s[0],l=0;l<s.length-1;l++)c=K(this,i[r+l],n,l),c===z&&(c=this._$AH[l]),a||=!ne(c)||c!==this._$AH[l],c===m?e=m:e!==m&&(e+=(c??"")+s[l+1]),this._$AH[l]=c}a&&!o&&this.j(e)}j(e){e===m?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??"")}},xe=class extends J{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===m?void 0:e}},Se=class extends J{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==m)}},Ae=class extends J{constructor(e,n,r,o,s){super(e,n,r,o,s),this.type=5}_$AI(e,n=this){if((e=K(this,e,n,0)??m)===z)return;let r=this._$AH,o=e===m&&r!==m||e.capture!==r.capture||e.once!==r.once||e.passive!==r.passive,s=e!==m&&(r===m||o);o&&this.element.removeEventListener(this.name,this,r),s&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},Te=class{constructor(e,n,r){this.element=e,this.type=6,this._$AN=void 0,this._$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(e){K(this,e)}};var mn=Ce.litHtmlPolyfillSupport;mn?.(re,oe),(Ce.litHtmlVersions??=[]).push("3.3.3");var mt=(t,e,n)=>{let r=n?.renderBefore??e,o=r._$litPart$;if(o===void 0){let s=n?.renderBefore??null;r._$litPart$=o=new oe(e.insertBefore(te(),s),s,void 0,n??{})}return o._$AI(t),o};var We=globalThis,q=class extends U{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let n=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=mt(n,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return z}};q._$litElement$=!0,q.finalized=!0,We.litElementHydrateSupport?.({LitElement:q});var yn=We.litElementPolyfillSupport;yn?.({LitElement:q});(We.litElementVersions??=[]).push("4.2.2");var yt=t=>{let e=/^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(t);return e===null?null:[parseInt(e[1],16),parseInt(e[2],16),parseInt(e[3],16)]},ft=t=>`#${t.map(e=>Math.round(e).toString(16).padStart(2,"0")).join("")}`,Oe=t=>{let[e,n,r]=t.map(o=>{let s=o/255;return s<=.04045?s/12.92:((s+.055)/1.055)**2.4});return .2126*e+.7152*n+.0722*r},gt=(t,e)=>{let[n,r]=[Oe(t),Oe(e)].toSorted((o,s)=>o-s);return(r+.05)/(n+.05)},wt=[0,0,0],Le=[255,255,255],_t=4.5,fn=(t,e)=>{let n=Oe(t)>.18?wt:Le;for(let r=0;r<20;r+=1){let o=e.map((s,a)=>s+(n[a]-s)*r/20);if(gt(o,t)>=_t)return o}return n},bt=(t,e)=>{let[n,r]=[yt(t),yt(e)];if(n===null||r===null)return null;let o=fn(r,n),s=gt(o,Le)>=_t?Le:wt;return{accent:ft(o),onAccent:ft(s)}};var gn=t=>{let e=new Intl.NumberFormat(t,{useGrouping:!1});return{decimal:new Intl.NumberFormat(t,{minimumFractionDigits:1}).formatToParts(0).find(({type:r})=>r==="decimal").value,digit:r=>e.format(Number(r))}},I=(t,e,n)=>{let r=t.toString().padStart(e+1,"0"),o=new Intl.NumberFormat(n).format(BigInt(r.slice(0,r.length-e))),s=r.slice(r.length-e,r.length).replace(/0+$/,""),a=e===0?"":s.padEnd(Math.min(2,e),"0");if(a==="")return o;let{decimal:i,digit:l}=gn(n);return`${o}${i}${a.replaceAll(/\d/g,l)}`},vt=t=>`${t.slice(0,8)}…${t.slice(-6)}`;var T=class extends Error{status;code;retryAfter;constructor(e,n,r){super(`${e} ${n}`),this.status=e,this.code=n,this.retryAfter=r}},$t=2e4,wn=45e3,_n=5e3,bn=3e4,vn=2,$n=async t=>{let e=await t.json().catch(()=>({})),n=Number(t.headers.get("Retry-After")??0);return new T(t.status,String(e.code??""),n>0?n*1e3:0)},kn=({status:t})=>t===401||t===404||t===409,Pn=async(t,e,n)=>{let r=t.pipeThrough(new TextDecoderStream).getReader(),o="";for(;;){let{done:s,value:a}=await r.read();if(s)return;e();let i=(o+a).split(/\r?\n\r?\n/);o=i.pop();for(let l of i){let d=l.split(/\r?\n/).filter(u=>u.startsWith("data:")).map(u=>u.slice(5).trimStart());d.length>0&&n(d.join(`
`))}}},xn=(t,e)=>new Promise(n=>{let r=()=>{clearTimeout(s),removeEventListener("online",r),document.removeEventListener("visibilitychange",o),n()},o=()=>{document.hidden||r()},s=setTimeout(r,t);addEventListener("online",r),document.addEventListener("visibilitychange",o),e.addEventListener("abort",r)}),Ue=(t,e,n,r)=>{let o=`${t}/api/v1/widget/${e}/${encodeURIComponent(n)}`,s=async(c,d,u={})=>{let y={Authorization:`Bearer ${r}`,...u.headers},g={...u,headers:y,signal:d,cache:"no-store",credentials:"omit",referrerPolicy:"no-referrer"},w=await fetch(o+c,g).catch(()=>{throw new T(0,"",0)});if(!w.ok)throw await $n(w);return w},a=async(c,d)=>await(await s(c,AbortSignal.timeout($t),d)).json().catch(()=>{throw new T(0,"",0)}),i=async(c,d)=>{let u=new AbortController,y=setTimeout(()=>u.abort(),$t),g=()=>{clearTimeout(y),y=setTimeout(()=>u.abort(),wn)},w=!1;try{let A=AbortSignal.any([d,u.signal]),L=await s("/events",A,{headers:{Accept:"text/event-stream"}});await Pn(L.body,g,P=>{w=!0,c.connected(!0),c.state(JSON.parse(P))})}catch(A){if(!w)throw A}finally{clearTimeout(y)}if(!w)throw new T(0,"",0)},l=async(c,d)=>{let u=0;for(;!d.aborted;){let y=0;try{u<vn||u%10===0?await i(c,d):(c.state(await a("/events",{headers:{Accept:"application/json"}})),c.connected(!0),u+=1,y=_n),y===0&&(u=0)}catch(g){if(d.aborted)return;if(g instanceof T&&kn(g))return c.refused();u+=1,c.connected(!1),y=Math.max(Math.min(bn,1e3*2**Math.min(u,5)),g.retryAfter??0)}await xn(Math.max(y,1e3)*(.5+Math.random()/2),d)}};return{payment:()=>a(""),checkout:()=>a(""),choose:c=>a("/choose",{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify({option:c})}),follow:c=>{let d=new AbortController;return l(c,d.signal),()=>d.abort()}}};function kt(t){if(typeof window>"u")return;let e=n=>t(n.detail);return window.addEventListener("eip6963:announceProvider",e),window.dispatchEvent(new CustomEvent("eip6963:requestProvider")),()=>window.removeEventListener("eip6963:announceProvider",e)}function Ie(){let t=new Set,e=[],n=()=>kt(o=>{e.some(({info:s})=>s.uuid===o.info.uuid)||(e=[...e,o],t.forEach(s=>s(e,{added:[o]})))}),r=n();return{_listeners(){return t},clear(){t.forEach(o=>o([],{removed:[...e]})),e=[]},destroy(){this.clear(),t.clear(),r?.()},findProvider({rdns:o}){return e.find(s=>s.info.rdns===o)},getProviders(){return e},reset(){this.clear(),r?.(),r=n()},subscribe(o,{emitImmediately:s}={}){return t.add(o),s&&o(e,{added:e}),()=>t.delete(o)}}}var Sn=400,An=t=>typeof t=="string"&&/^data:image\/(png|svg\+xml|webp|jpeg|gif)[;,]/.test(t)?t:null,Pt=t=>{let e=Ie(),n=!1,r=()=>{let s=e.getProviders().map(({info:c,provider:d})=>({id:c.rdns,name:c.name,icon:An(c.icon),provider:d})),{ethereum:a}=window,i={id:"injected",name:null,icon:null,provider:a},l=s.length===0&&n&&a!==void 0?[i]:s;t(l,n)};e.subscribe(r),r();let o=setTimeout(()=>{n=!0,r()},Sn);return()=>{clearTimeout(o),e.destroy()}},xt=t=>{let e=encodeURIComponent(t);return[{name:"MetaMask",url:`metamask://dapp/${t.replace(/^https?:\/\//,"")}`},{name:"Trust Wallet",url:`trust://open_url?coin_id=60&url=${e}`},{name:"Coinbase Wallet",url:`cbwallet://dapp?url=${e}`},{name:"OKX Wallet",url:`okx://wallet/dapp/url?dappUrl=${e}`}]};var St=({name:t,digest:e})=>new URL(t.replace(".",`-${e.slice(0,12).replaceAll(/[+/]/g,"_")}.`),import.meta.url).href,Me=async t=>{let e=await fetch(St(t),{integrity:`sha256-${t.digest}`,credentials:"omit"});if(!e.ok)throw new Error(`${t.name}: ${e.status}`);return e},At=async t=>(await(await Me(t)).arrayBuffer(),await import(St(t)));var ce={loading:"Loading your order.",refused:"This payment link is not valid or has ended. Ask the shop for a new one.",reconnecting:"The connection is lost. This page shows the last known state and is trying again.",to_pay:"Amount due",on_network:"on {network}",order:"Order {order}",items:"Your order",recipient:"Recipient",show_address:"Show the whole address",time_left:"Time left",back_to_shop:"Back to the shop",cancel_order:"Do not pay, back to the shop",see_transaction:"See the transaction",paid_by:"Paid by",status_pending:"Your order is being prepared. This page goes on by itself.",status_former_choice_open:"Your earlier choice is being closed, so that you cannot pay twice. This page goes on by itself.",status_former_choice_until:"Your earlier choice is being closed, so that you cannot pay twice. This takes until {time} at most.",status_not_payable:"The order cannot be paid at this moment. This page goes on by itself.",status_time_over:"The time to pay is over. Do not pay any more.",status_awaiting_payment:"Choose your wallet to pay.",status_ready:"You can pay now.",status_processing:"Your payment is on the network. {seen} of {needed} confirmations.",status_completed:"Paid. Thank you!",status_expired:"The time to pay this order is over. Nothing can be paid any more.",status_canceling:"The shop is canceling this order. Do not pay it.",status_canceled:"This order is canceled. Nothing can be paid any more.",status_failed:"This order cannot be paid. Ask the shop for a new one.",choose_title:"How do you want to pay?",choose_option:"{amount} on {network}",choose_again:"Pay in another way",choose_failed:"The choice was not accepted. Try again.",choose_none_left:"You cannot choose again for this order.",choose_busy:"A payment for this order is already on its way.",choose_unavailable:"This way to pay is not available now. Choose another one.",wallet_choose:"Choose your wallet",wallet_injected:"Wallet of this browser",wallet_none:"No wallet was found in this browser.",wallet_none_help:"Open this page in the browser of your wallet app, or install a wallet and reload the page.",wallet_open_in:"Open in {wallet}",wallet_other:"Use another wallet",wallet_connected:"Connected account",wallet_balance:"You have {amount}.",phone:"Pay with your phone",phone_help:"Scan this code to open this page on your phone, in the browser of your wallet app. The code is no payment address.",qr_label:"QR code of this page's address",copy_link:"Copy the link to this page",copied:"Copied.",warning:"Pay only with the button on this page. Coins or tokens that you send in another way do not pay this order.",pay_button:"Pay {amount}",again_button:"Try again",pay_again_button:"Pay again",sent_again_warning:"If your wallet still asks for this payment, confirm or reject it there first.",ask_connect:"Allow your wallet to show this page your account.",ask_switch:"Confirm the change to {network} in your wallet.",ask_reset:"Confirm in your wallet that the old allowance is removed.",ask_approve:"Allow {amount} in your wallet. The shop can take exactly this amount, for this order only.",ask_permit:"Sign the allowance of {amount} in your wallet. It costs nothing.",ask_batch:"Confirm the payment of {amount} in your wallet.",ask_pay:"Confirm the payment of {amount} in your wallet.",ask_step:"Step {step} of {steps}.",ask_slow:"No answer yet? Open your wallet: it may wait behind this window.",checking:"Looking at your account.",approving:"The network confirms the allowance. The payment is next.",sent:"Your wallet has sent the payment. This page shows when the network has it.",sent_late:"The network has not seen the payment yet. It may be slow, or your wallet collects more signatures. Leave this page open.",trouble_rejected:"You rejected the request in your wallet. Nothing was sent.",trouble_locked:"Your wallet is locked or does not share this account any more. Unlock it and try again.",trouble_unsupported:"Your wallet cannot do this. Use another wallet.",trouble_wallet_offline:"Your wallet has no connection to the network. Check its connection and try again.",trouble_busy:"Your wallet still waits for an answer to an earlier request. Open it and answer there, then try again.",trouble_unknown_network:"Your wallet does not know {network}. Add the network in your wallet, then try again.",trouble_no_answer:"Your wallet did not answer. Its connection to {network} may be down. Try again.",trouble_wallet_failed:"Your wallet reports an error. Nothing was sent. Try again, or use another wallet.",trouble_unknown_batch:"Your wallet does not know this payment any more. Try again.",trouble_no_account:"Your wallet shows no account. Choose one in your wallet and try again.",trouble_wrong_network:"Your wallet is on another network. Change it to {network}, then try again.",trouble_other_chain:"The network that your wallet calls {network} is another one. Check the network's settings in your wallet.",trouble_few_tokens:"You have {has}, {needs} is due.",trouble_few_coins:"You have {has}, {needs} is due.",trouble_few_fees:"With the network's fee you need {needs}, and you have {has}.",trouble_approval_failed:"The network refused the allowance. Nothing was paid. Try again.",trouble_payment_failed:"The network refused the payment. Nothing was paid but the network's fee. Try again.",trouble_terms_changed:"The order has changed. Check it and try again.",trouble_service_silent:"The payment service does not answer. Nothing was sent. Try again.",trouble_other_tab:"You are paying this order in another tab. Go on there.",trouble_maybe_sent:"Your wallet reports an error, and may have sent the payment. Press the button to look for it.",error_Paused:"Payments are paused on this network. Try again later.",error_DealExpired:"The time to pay this order is over.",error_DealNotOpen:"This order was already paid or canceled, or it cannot be paid yet.",error_OfferExpired:"The offer of this order has just ended. Try again.",error_NotSigner:"The offer of this order is no longer valid. Try again.",error_TokenCallFailed:"The token refused the transfer: check your balance and the allowance.",error_NativeTransferFailed:"The recipient did not accept the coins. Nothing was paid.",error_other:"The shop's contract refused the payment. Nothing was paid."};var Cn=["en","de","es","fr","pt","ar","zh","ja"],Tt=ce,Ct=t=>t==="ar",Et=t=>t.map(n=>n?.toLowerCase().split("-")[0]).find(n=>Cn.includes(n))??"en",Rt=(t,e)=>e.find(n=>n?.toLowerCase().split("-")[0]===t&&En(n))??t,En=t=>{try{return Intl.getCanonicalLocales(t).length===1}catch{return!1}},Wt=async t=>{if(t==="en")return ce;let e=await Me({name:`texts-${t}.json`,digest:_[t]});return{...ce,...await e.json()}},Ot=(t,e={})=>t.replaceAll(/\{(\w+)\}/g,(n,r)=>String(e[r]??n));var p=({texts:t},e,n)=>Ot(t[e],n),ue=({format:t},{amount:e,decimals:n,currency:r})=>`${I(e,n,t)} ${r}`,Rn=18,Lt=(t,e,n,r)=>{let o=10n**12n,s=(t+(r?o-1n:0n))/o*o;return`${I(s,Rn,n)} ${e}`},Wn=(t,e,{trouble:n,has:r=0n,needs:o=0n,error:s})=>{let{format:a}=t,{network:i}=e;if(n==="refused_by_contract"){let c=`error_${s}`;return p(t,c in t.texts?c:"error_other")}if(n==="few_fees")return p(t,"trouble_few_fees",{has:Lt(r,i.native_symbol,a,!1),needs:Lt(o,i.native_symbol,a,!0)});let l=c=>`${I(c,e.decimals,a)} ${e.currency}`;return p(t,`trouble_${n}`,{network:i.name,has:l(r),needs:l(o)})},On=(t,e,n)=>{let r={network:e.network.name,amount:ue(t,e)};switch(n.name){case"no_wallet":return p(t,"status_awaiting_payment");case"ready":return p(t,"status_ready",r);case"checking":case"approving":return p(t,n.name);case"asking":{let o=p(t,`ask_${n.question}`,r),{step:s,steps:a}=n;return a===1?o:`${p(t,"ask_step",{step:s,steps:a})} ${o}`}case"sent":return p(t,n.isLate?"sent_late":"sent");case"trouble":return Wn(t,e,n)}},Ne=({name:t})=>["checking","asking","approving","sent"].includes(t),Ut=(t,e,n,r)=>{let{status:o,status_detail:s,payable:a,confirmations:i}=e;return o==="processing"?p(t,"status_processing",i):o!=="pending"&&o!=="awaiting_payment"?p(t,`status_${o}`):a||Ne(n)?On(t,e,n):s==="former_choice_open"?r===null?p(t,"status_former_choice_open"):p(t,"status_former_choice_until",{time:r}):Date.parse(e.expires_at)<=Date.now()?p(t,"status_time_over"):p(t,o==="pending"?"status_pending":"status_not_payable")};var It=(t,e)=>h`
  <details class="address">
    <summary title=${p(t,"show_address")}><bdi dir="ltr">${vt(e)}</bdi></summary>
    <bdi dir="ltr">${e}</bdi>
  </details>
`,de=(t,e,n)=>t===null?m:h`<a class="link ${n}" part="button" href=${t} rel="noreferrer noopener" target="_top">${e}</a>`,Mt=({words:t,state:e},n)=>{let{explorer_url:r}=e.network;if(r===null||n===null)return m;let o=`${r.replace(/\/$/,"")}/tx/${n}`;return h`<a class="link plain" href=${o} rel="noreferrer noopener" target="_blank"
    >${p(t,"see_transaction")}</a
  >`},qe=({name:t,logo_url:e})=>h`
  <h1 class="merchant" part="merchant">
    ${e===null?m:h`<img src=${e} alt="" referrerpolicy="no-referrer" />`}
    <bdi>${t}</bdi>
  </h1>
`,Ln=(t,e)=>{let{merchant:n,network:r}=e;return h`
    ${qe(n)}
    <p class="muted">${p(t,"to_pay")}</p>
    <p class="amount" part="amount"><bdi>${ue(t,e)}</bdi></p>
    <p class="muted"><bdi>${p(t,"on_network",{network:r.name})}</bdi></p>
  `},Un=({words:t,state:e})=>{let{items:n,decimals:r,currency:o,external_id:s}=e;return n.length===0?m:h`
    <details part="items">
      <summary>${p(t,"items")}</summary>
      <ul class="items">
        ${n.map(({name:a,amount:i})=>h`<li><bdi>${a}</bdi> <bdi>${I(i,r,t.format)} ${o}</bdi></li>`)}
      </ul>
      <p class="muted"><bdi>${p(t,"order",{order:s})}</bdi></p>
    </details>
  `},In=({words:t,state:e,timeLeft:n,payer:r})=>{let o=e.status==="pending"||e.status==="awaiting_payment",s=e.payer??r.account,a=e.payer===null?"wallet_connected":"paid_by";return h`
    <dl>
      <dt>${p(t,"recipient")}</dt>
      <dd>${It(t,e.payment_address)}</dd>
      ${s===null?m:h`<dt>${p(t,a)}</dt>
              <dd>${It(t,s)}</dd>`}
      ${o&&n!==null?h`<dt>${p(t,"time_left")}</dt>
              <dd><span role="timer" aria-live="off">${n}</span></dd>`:m}
    </dl>
  `},Mn=t=>{let{words:e,wallets:n,areAllFound:r,payer:o,link:s}=t,a=matchMedia("(pointer: coarse)").matches;return h`
    <div role="group" aria-label=${p(e,"wallet_choose")}>
      <ul class="stack">
        ${n.map(i=>h`
            <li>
              <button type="button" part="wallet" @click=${()=>{o.connect(i)}}>
                ${i.icon===null?m:h`<img src=${i.icon} alt="" />`}
                <bdi>${i.name??p(e,"wallet_injected")}</bdi>
              </button>
            </li>
          `)}
      </ul>
    </div>
    ${n.length===0&&r?h`<p><strong>${p(e,"wallet_none")}</strong> ${p(e,"wallet_none_help")}</p>`:m}
    ${s!==null&&a&&r&&n.length===0?h`<ul class="stack">
            ${xt(s).map(({name:i,url:l})=>h`<li>
                  <a class="link" href=${l} rel="noreferrer">${p(e,"wallet_open_in",{wallet:i})}</a>
                </li>`)}
          </ul>`:m}
    ${s===null?m:Nn(t)}
  `},Nn=({words:t,qr:e,isCopied:n,copy:r,showQr:o})=>h`
  <details @toggle=${o}>
    <summary>${p(t,"phone")}</summary>
    <p class="muted">${p(t,"phone_help")}</p>
    ${e??m}
    <button type="button" @click=${r}>${p(t,n?"copied":"copy_link")}</button>
  </details>
`,Nt=({state:t,payer:e},n)=>h`
  <button type="button" class="main" part="button" ?disabled=${!t.payable} @click=${()=>{e.pay()}}>
    <bdi>${n}</bdi>
  </button>
`,Bn=t=>{let{words:e,payer:n}=t,{wallet:r,account:o}=n;return o!==null?Nt(t,p(e,"again_button")):h`<button type="button" class="main" part="button" @click=${()=>{n.connect(r)}}>
    ${p(e,"again_button")}
  </button>`},Be=({words:t,payer:e})=>h`
  <button type="button" class="plain" @click=${()=>e.leave()}>${p(t,"wallet_other")}</button>
`,qn=({words:t,state:e,payer:n})=>{let{funds:r}=n;if(r===null)return m;let o=r.tokens??r.coins,s=`${I(o,e.decimals,t.format)} ${e.currency}`;return h`<p class="muted"><bdi>${p(t,"wallet_balance",{amount:s})}</bdi></p>`},Dn=t=>{let{words:e,state:n,payer:r,isSlow:o}=t,{phase:s}=r;switch(s.name){case"no_wallet":return n.payable?Mn(t):m;case"ready":return h`${qn(t)}${Nt(t,p(e,"pay_button",{amount:ue(e,n)}))}
      ${Be(t)}`;case"asking":return o?h`<p>${p(e,"ask_slow")}</p>
            ${Be(t)}`:m;case"sent":return h`${Mt(t,s.hash)}
      ${s.isLate?h`<p>${p(e,"sent_again_warning")}</p>
              <button type="button" @click=${()=>r.forget()}>${p(e,"pay_again_button")}</button>`:m}`;case"trouble":return h`${Bn(t)} ${Be(t)}`;default:return m}},jn=t=>{let{words:e,state:n}=t,{status:r,success_url:o,cancel_url:s}=n;return r==="completed"?de(o??s,p(e,"back_to_shop"),"main"):r==="processing"?de(o,p(e,"back_to_shop"),""):r==="expired"||r==="canceled"||r==="failed"?de(s??o,p(e,"back_to_shop"),"main"):de(s,p(e,"cancel_order"),"plain")},Fn=({state:t,payer:e})=>t.status==="completed"?"good":["expired","canceled","failed","canceling"].includes(t.status)||t.status==="awaiting_payment"&&e.phase.name==="trouble"?"bad":"",Bt=t=>{let{words:e,state:n,payer:r,isConnected:o,formerUntil:s,chooseAgain:a}=t,i=n.status==="pending"||n.status==="awaiting_payment",l=i&&Ne(r.phase)||n.status==="processing"||i&&!n.payable,c=a!==null&&i&&["no_wallet","ready","trouble"].includes(r.phase.name);return h`
    ${Ln(e,n)} ${In(t)} ${Un(t)}
    <p class="status ${Fn(t)}" part="status" role="status" aria-live="polite" aria-atomic="true">
      ${l?h`<span class="spin" aria-hidden="true"></span>`:m}${Ut(e,n,r.phase,s)}
    </p>
    ${n.status==="processing"?h`<progress
            max=${n.confirmations.needed}
            value=${n.confirmations.seen}
            aria-hidden="true"
          ></progress>`:m}
    ${i?Dn(t):Mt(t,n.transaction_hash)}
    ${c?h`<button type="button" class="plain" @click=${a}>${p(e,"choose_again")}</button>`:m}
    ${jn(t)} ${o?m:h`<p class="muted" role="status">${p(e,"reconnecting")}</p>`}
    ${i?h`<p class="muted" part="footer">${p(e,"warning")}</p>`:m}
  `};var Hn=5e3,Vn={too_many_choices:"choose_none_left",choice_being_paid:"choose_busy",option_unavailable:"choose_unavailable"},De=({status:t})=>t!=="open"&&t!=="chosen",qt=(t,e)=>{let n=null,[r,o,s,a]=[!1,!1,!1,!1],i=null,l,c=u=>{n=u,De(u)&&(o=!1),e()},d=async()=>{clearTimeout(l);try{c(await t.checkout())}catch(u){if(u instanceof T&&(u.status===401||u.status===404))return r=!0,e()}a||n!==null&&De(n)||(clearTimeout(l),l=setTimeout(()=>{d()},Hn*(.75+Math.random()/2)))};return d(),{get checkout(){return n},get isRefused(){return r},get trouble(){return i},get isChoosing(){return o},get isBusy(){return s},choose:async u=>{if(!s){[s,i]=[!0,null],e();try{let y=await t.choose(u);o=!1,c(y)}catch(y){i=(y instanceof T?Vn[y.code]:void 0)??"choose_failed"}s=!1,e()}},chooseAgain:()=>{[o,i]=[!0,null],e()},refresh:()=>{d()},end:()=>{a=!0,clearTimeout(l)}}},Dt=(t,e)=>{let{options:n,merchant:r,items:o,success_url:s,cancel_url:a,status:i}=e.checkout,l=De(e.checkout),c=(i==="completed"?s:a)??s??a;return h`
    ${qe(r)}
    ${o.length===0?m:h`<ul class="items" part="items">
            ${o.map(({name:d})=>h`<li><bdi>${d}</bdi></li>`)}
          </ul>`}
    <p class="status ${l&&i!=="completed"?"bad":""}" part="status" role="status" aria-live="polite">
      ${p(t,l?`status_${i}`:e.trouble??"choose_title")}
    </p>
    ${l?m:h`<ul class="stack">
            ${n.map(({amount:d,decimals:u,currency:y,network:g},w)=>{let A=`${I(d,u,t.format)} ${y}`;return h`<li>
                <button type="button" part="button" ?disabled=${e.isBusy} @click=${()=>{e.choose(w)}}>
                  <bdi>${p(t,"choose_option",{amount:A,network:g.name})}</bdi>
                </button>
              </li>`})}
          </ul>`}
    ${c===null?m:h`<a class="link ${l?"main":"plain"}" href=${c} rel="noreferrer noopener" target="_top"
            >${p(t,l?"back_to_shop":"cancel_order")}</a
          >`}
  `};var zn={4001:"rejected",4100:"locked",4200:"unsupported",[-32601]:"unsupported",[-32004]:"unsupported",5700:"unsupported",5710:"unsupported",5750:"rejected",5760:"unsupported",4900:"wallet_offline",4901:"wallet_offline",4902:"unknown_network",5730:"unknown_batch",[-32002]:"busy"},M=class extends Error{fault;revert;constructor(e,n=null){super(e),this.fault=e,this.revert=n}},Yn=5,jt=(t,e=0)=>{if(typeof t!="object"||t===null||e>Yn)return[];let n=t;return[n,...[n.data,n.error,n.cause,n.originalError].flatMap(r=>jt(r,e+1))]},Kn=/^0x[0-9a-f]{8,}$/i,R=t=>{if(t instanceof M)return t;let e=jt(t),n=e.map(({data:a})=>a).find(a=>typeof a=="string"&&Kn.test(a)),r=e.map(({code:a})=>zn[Number(a)]).filter(a=>a!==void 0),o=e.some(({code:a,message:i})=>a==="ACTION_REJECTED"||/user (rejected|denied|cancell?ed)/i.test(String(i))),s=r.at(-1)??(o?"rejected":"wallet_failed");return new M(s,n??null)},C=async(t,e,n)=>{try{return await t.request(n===void 0?{method:e}:{method:e,params:n})}catch(r){throw R(r)}},Jn=15e3,E=(t,e,n)=>new Promise((r,o)=>{let s=setTimeout(()=>o(new M("no_answer")),Jn);C(t,e,n).then(r,o).finally(()=>clearTimeout(s))});var O=(t,e,n)=>({name:"asking",question:t,step:e,steps:n}),N=class extends Error{phase;constructor(e){super(e.name),this.phase=e}},$=(t,e={})=>new N({name:"trouble",trouble:t,...e}),Q=(t,e=null)=>{if(t instanceof N)return t;if(t instanceof T)return $("service_silent");let{fault:n,revert:r}=R(t),o=e?.contract.errors.find(({selector:s})=>r?.toLowerCase().startsWith(s));return o===void 0?$(n):$("refused_by_contract",{error:o.name})};var Qn=/^0x[0-9a-f]{1,64}$/i,G=t=>{if(typeof t!="string"||!Qn.test(t))throw new M("wallet_failed");return BigInt(t)},pe=t=>t.slice(2).toLowerCase().padStart(64,"0"),W=t=>`0x${t.toString(16)}`,k=t=>{let e=async(n,r)=>G(await E(t,"eth_call",[{to:n,data:r},"latest"]));return{chainId:async()=>Number(G(await E(t,"eth_chainId"))),accounts:async()=>he(await E(t,"eth_accounts")),coins:async n=>G(await E(t,"eth_getBalance",[n,"latest"])),tokens:(n,r)=>e(n,`0x70a08231${pe(r)}`),allowance:(n,r,o)=>e(n,`0xdd62ed3e${pe(r)}${pe(o)}`),permitNonce:(n,r)=>e(n,`0x7ecebe00${pe(r)}`),hasCode:async n=>{let r=await E(t,"eth_getCode",[n,"latest"]);return typeof r=="string"&&r.length>2},sentCount:async n=>G(await E(t,"eth_getTransactionCount",[n,"pending"])),gasPrice:async()=>G(await E(t,"eth_gasPrice")),gas:async({from:n,to:r,data:o,value:s})=>G(await E(t,"eth_estimateGas",[{from:n,to:r,data:o,value:W(BigInt(s))}])),outcome:async n=>{let r=await E(t,"eth_getTransactionReceipt",[n]);return r===null||typeof r!="object"?null:r.status==="0x0"?"failed":"mined"}}},Gn=/^0x[0-9a-f]{40}$/i,he=t=>Array.isArray(t)?t.filter(e=>Gn.test(String(e))):[];var D=(t,e)=>t?.toLowerCase()===e?.toLowerCase(),Xn=async({wallet:t,state:e})=>{let{network_id:n,network:r}=e();if(r.rpc_urls.length===0)throw $("unknown_network");await C(t.provider,"wallet_addEthereumChain",[{chainId:W(n),chainName:r.name,nativeCurrency:{name:r.native_symbol,symbol:r.native_symbol,decimals:18},rpcUrls:r.rpc_urls,...r.explorer_url===null?{}:{blockExplorerUrls:[r.explorer_url]}}])},Ft=async t=>{let{wallet:e,state:n,enter:r}=t,o=k(e.provider),{network_id:s,diamond_address:a}=n(),i=()=>C(e.provider,"wallet_switchEthereumChain",[{chainId:W(s)}]);if(await o.chainId()!==s){r(O("switch",1,1));try{await i()}catch(l){if(R(l).fault!=="unknown_network")throw l;await Xn(t),await o.chainId()!==s&&await i()}if(await o.chainId()!==s)throw $("wrong_network");r({name:"checking"})}if(a!==null&&!await o.hasCode(a))throw $("other_chain")},me=async({wallet:t,account:e,state:n})=>{let r=k(t.provider);if(!(await r.accounts()).some(o=>D(o,e)))throw $("locked");if(await r.chainId()!==n().network_id)throw $("wrong_network")};var Ht=async(t,e,n)=>{let r=W(n);try{let o=await E(t,"wallet_getCapabilities",[e,[r]]),{atomic:s}=o[r]??{};return s?.status==="supported"}catch{return!1}},Vt=async({provider:t,account:e,networkId:n,calls:r,id:o})=>{let s=await C(t,"wallet_sendCalls",[{version:"2.0.0",id:o,from:e,chainId:W(n),atomicRequired:!0,calls:r.map(({to:i,data:l,value:c})=>({to:i,data:l,value:W(BigInt(c))}))}]),{id:a}=s??{};return typeof a=="string"?a:o},je=async(t,e)=>{try{let{status:n}=await C(t,"wallet_getCallsStatus",[e]);return Number(n)>=400?"failed":null}catch(n){if(R(n).fault==="unknown_batch")return"unknown";throw n}},Zn=/^0x[0-9a-f]{130}$/i,er=t=>{let e=parseInt(t.slice(130),16);return(e<27?e+27:e).toString(16).padStart(64,"0")},zt=async(t,e,n,r)=>{let{typed_data:o,data:s}=e,a={owner:n,...o.message,nonce:r.toString()},i=await C(t,"eth_signTypedData_v4",[n,JSON.stringify({...o,message:a})]);if(typeof i!="string"||!Zn.test(i))throw new M("wallet_failed");return`${s}${er(i)}${i.slice(2,130)}`};var tr=120000n,nr=t=>typeof t=="string"&&/^0x[0-9a-f]{64}$/i.test(t),ze=({account:t},e)=>({from:t,to:e.diamond_address,data:e.contract.data,value:e.contract.value}),Fe=({account:t},e,n)=>({from:t,to:e.token_address,data:n,value:"0"}),Ye=async({provider:t},{account:e,sentBefore:n})=>{try{return await k(t).sentCount(e)>BigInt(n)}catch{return!0}},Jt=async({service:t,state:e})=>{let n=await t.payment(),r=e();if(!(n.amount===r.amount&&n.decimals===r.decimals&&n.currency===r.currency&&n.network_id===r.network_id&&D(n.payment_address,r.payment_address)&&D(n.token_address,r.token_address)))throw $("terms_changed");if(!n.payable)throw new N({name:"ready"});return n},He=async({wallet:t,account:e},n,r)=>{let o=k(t.provider),{token_address:s}=n,[a,i]=[BigInt(n.contract.value),BigInt(n.amount)],l=await o.coins(e);if(l<a)throw $("few_coins",{has:l,needs:a});if(s!==null){let d=await o.tokens(s,e);if(d<i)throw $("few_tokens",{has:d,needs:i})}if(r===0n)return;let c=a+r*await o.gasPrice();if(l<c)throw $("few_fees",{has:l,needs:c})},Ve=async(t,e,n,r)=>{let{wallet:o,account:s,memory:a,enter:i}=t;await me(t),i(e);let l=(await k(o.provider).sentCount(s)).toString(),c={step:n,wallet:o.id,account:s,sentBefore:l,hash:null};a.save(c);try{let{from:d,to:u,data:y,value:g}=r,w=W(t.state().network_id),A={from:d,to:u,data:y,value:W(BigInt(g)),chainId:w},L=await C(o.provider,"eth_sendTransaction",[A]),P=nr(L)?L:null;return a.save({...c,hash:P??"unknown"}),P}catch(d){throw!["rejected","locked","unsupported","busy"].includes(R(d).fault)&&await Ye(o,c)?$("maybe_sent"):(a.clear(),d)}},Yt=async(t,e,n,r)=>{let{wallet:o,account:s,memory:a,enter:i,nextLook:l}=t,c=k(o.provider);i({name:"approving"});let{spender:d}=e.approval;for(;!n(await c.allowance(e.token_address,s,d));){if(r!==null&&await c.outcome(r)==="failed")throw $("approval_failed");await l()}a.clear()},ye=async(t,e,[n,r],o=ze(t,e))=>{await He(t,e,0n);let s=await k(t.wallet.provider).gas(o).catch(a=>{throw Q(a,e)});return await He(t,e,s),Ve(t,O("pay",n,r),"pay",o)},rr=async(t,e,n)=>{let{data:r,reset_data:o}=e.approval,s=Fe(t,e,r),a=()=>k(t.wallet.provider).gas(s).then(()=>!0,()=>!1),i=n>0n&&!await a()?3:2;if(i===3){let c=await Ve(t,O("reset",1,i),"approve",Fe(t,e,o));await Yt(t,e,d=>d===0n,c)}let l=await Ve(t,O("approve",i-1,i),"approve",s);return await Yt(t,e,c=>c>=BigInt(e.amount),l),ye(t,await Jt(t),[i,i])},or=async(t,e,n)=>{let{wallet:r,account:o,memory:s,enter:a}=t;await me(t),a(O("batch",1,1));let{data:i,reset_data:l}=e.approval,d=[...(n===0n?[i]:[l,i]).map(w=>Fe(t,e,w)),ze(t,e)],y=`0x${[...crypto.getRandomValues(new Uint8Array(32))].map(w=>w.toString(16).padStart(2,"0")).join("")}`,g={step:"batch",wallet:r.id,account:o,sentBefore:"0",hash:y};s.save(g);try{let w=await Vt({provider:r.provider,account:o,networkId:e.network_id,calls:d,id:y});return s.save({...g,hash:w}),null}catch(w){throw R(w).fault==="wallet_failed"?$("maybe_sent"):(s.clear(),w)}},sr=async(t,e)=>{let{wallet:n,account:r,enter:o}=t,s=await k(n.provider).permitNonce(e.token_address,r);await me(t),o(O("permit",1,2));let a=await zt(n.provider,e.permit,r,s);return ye(t,e,[2,2],{...ze(t,e),data:a})},Kt=async t=>{try{return await t()}catch(e){if(e instanceof N||R(e).fault!=="unsupported")throw e;return"unsupported"}},ar=async(t,e)=>{let{wallet:n,account:r}=t,o=k(n.provider),s=await o.allowance(e.token_address,r,e.approval.spender);if(s>=BigInt(e.amount))return ye(t,e,[1,1]);if(await Ht(n.provider,r,e.network_id)){let a=await Kt(()=>or(t,e,s));if(a!=="unsupported")return a}if(await He(t,e,tr),e.permit!==null&&!await o.hasCode(r)){let a=await Kt(()=>sr(t,e));if(a!=="unsupported")return a}return rr(t,e,s)},Qt=async t=>{let e=null;try{await Ft(t);let{token_address:n,amount:r}=t.state();if(n!==null){let o=await k(t.wallet.provider).tokens(n,t.account);if(o<BigInt(r))throw $("few_tokens",{has:o,needs:BigInt(r)})}return e=await Jt(t),e.token_address===null?await ye(t,e,[1,1]):await ar(t,e)}catch(n){throw Q(n,e)}};var ir=t=>{let{step:e,wallet:n,account:r,sentBefore:o,hash:s}=t??{};return["approve","pay","batch"].includes(e)&&typeof n=="string"&&typeof r=="string"&&/^\d+$/.test(String(o))&&(s===null||typeof s=="string")},Gt=t=>{let e=`carat-pay:${t}`,n=null,r=(o,s)=>{try{return o(localStorage)}catch{return s}};return{load:()=>{let o=r(s=>s.getItem(e),n)??n;try{let s=JSON.parse(o??"null");return ir(s)?s:null}catch{return null}},save:o=>{n=JSON.stringify(o),r(s=>s.setItem(e,n),void 0)},clear:()=>{n=null,r(o=>o.removeItem(e),void 0)}}};var lr=12e4,[cr,ur]=[1e3,15e3],dr=async(t,e)=>{if(!("locks"in navigator))return e();await navigator.locks.request(`carat-pay:${t}`,{ifAvailable:!0},async n=>{if(n===null)throw $("other_tab");await e()})},Xt=({paymentId:t,service:e,state:n,changed:r})=>{let o=Gt(t),s={name:"no_wallet"},a=null,i=null,l=null,c=0,d=()=>{},u=f=>{s=f,r()},y=()=>{let f=c+=1,b=()=>{if(f!==c)throw new N(s)};return{isCurrent:()=>f===c,enter:v=>{b(),u(v)},nextLook:async()=>{let v=Math.min(Math.max(n().network.block_time_ms,cr),ur);await new Promise(x=>setTimeout(x,v)),b()}}},g=async()=>{let f=c,[b,v,{token_address:x,network_id:S}]=[k(a.provider),i,n()],ge=await(async()=>{if(await b.chainId()!==S)return null;let we=x===null?null:await b.tokens(x,v);return{coins:await b.coins(v),tokens:we}})().catch(()=>null);f===c&&(l=ge,r())},w=()=>{c+=1,u({name:"ready"}),g()},A=()=>{c+=1,d(),[a,i,l]=[null,null,null],u({name:"no_wallet"})},L=({provider:f})=>{let b=x=>{let[S]=he(x);if(!(s.name==="sent"||D(S??null,i))){if(S===void 0)return A();i=S,l=null,w()}},v=()=>{s.name==="ready"&&g()};f.on?.("accountsChanged",b),f.on?.("chainChanged",v),d=()=>{f.removeListener?.("accountsChanged",b),f.removeListener?.("chainChanged",v),d=()=>{}}},P=f=>{let{isCurrent:b,nextLook:v,enter:x}=y();u({name:"sent",hash:f,isLate:!1});let{provider:S}=a,j=o.load(),ge=()=>j?.step==="batch"?je(S,j.hash):f===null?Promise.resolve(null):k(S).outcome(f),we=Date.now();(async()=>{for(;b();){if(await v(),await ge().catch(()=>null)==="failed"){o.clear(),x({name:"trouble",trouble:"payment_failed"});return}Date.now()-we>lr&&x({name:"sent",hash:f,isLate:!0})}})().catch(()=>{})},Y=async()=>{let f=o.load();if(f===null||f.step==="approve"||!D(f.account,i))return!1;let b=f.step==="batch"?await je(a.provider,f.hash).then(v=>v===null,()=>!0):f.hash!==null||await Ye(a,f);return b?P(f.step==="batch"||f.hash==="unknown"?null:f.hash):o.clear(),b},Je=async(f,b)=>{d(),[a,i,l]=[f,b,null],L(f),await Y()||w()};return{get phase(){return s},get wallet(){return a},get account(){return i},get funds(){return l},connect:async f=>{let{isCurrent:b}=y();a=f,u(O("connect",1,1));try{let[v]=he(await C(f.provider,"eth_requestAccounts"));if(!b())return;if(v===void 0)throw $("no_account");await Je(f,v)}catch(v){b()&&u(Q(v).phase)}},resume:async f=>{let b=o.load(),v=f.find(({id:j})=>j===b?.wallet);if(b===null||v===void 0||s.name!=="no_wallet")return;let x=await k(v.provider).accounts().catch(()=>[]);s.name==="no_wallet"&&a===null&&x.some(j=>D(j,b.account))&&await Je(v,b.account)},pay:async()=>{if(a===null||i===null||s.name!=="ready"&&s.name!=="trouble")return;let{isCurrent:f,enter:b,nextLook:v}=y(),x={wallet:a,account:i,service:e,memory:o,state:n,enter:b,nextLook:v};u({name:"checking"});try{await dr(t,async()=>{if(await Y())return;let S=await Qt(x);f()&&P(S)})}catch(S){f()&&u(Q(S).phase)}},leave:A,forget:()=>{o.clear(),w()},settle:()=>{c+=1,o.clear()},end:()=>{c+=1,d()}}};var pr=new Set(["completed","expired","canceled","failed"]),Zt=(t,e,n)=>{let r=null,o=!0,s=!1,a=[],i=!1,l=0,c=null,d=performance.now(),u=()=>r===null?0:Math.max(0,Date.parse(r.expires_at)-Date.now()-l),y=()=>r===null?null:{...r,payable:r.payable&&u()>0},g=Xt({paymentId:t,service:e,state:()=>y(),changed:()=>{g.phase!==c&&([c,d]=[g.phase,performance.now()]),n()}}),w=()=>{r!==null&&a.length>0&&g.resume(a)},A=Pt((P,Y)=>{[a,i]=[P,Y],w(),n()}),L=e.follow({state:P=>{let Y=r===null;r=P,l=Date.parse(P.server_time)-Date.now(),pr.has(P.status)&&(g.settle(),L()),Y&&w(),n()},connected:P=>{o!==P&&(o=P,n())},refused:()=>{s=!0,n()}});return{get state(){return y()},get isConnected(){return o},get isRefused(){return s},get wallets(){return a},get areAllFound(){return i},payer:g,timeLeft:u,phaseAge:()=>performance.now()-d,end:()=>{L(),A(),g.end()}}};var en=be`
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
  .items bdi:first-child {
    min-inline-size: 0;
  }
  .qr {
    display: block;
    inline-size: min(100%, 15rem);
    margin: 0.5rem auto;
    padding: 0.75rem;
    background: #ffffff;
    border-radius: 8px;
    image-rendering: pixelated;
  }
  progress {
    inline-size: 100%;
    block-size: 0.5rem;
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
`;var hr=new URL("../..",import.meta.url).href.replace(/\/$/,""),fe=4,mr=2e4,[yr,fr]=["#171a21","#ffffff"],gr=(t,e)=>new Intl.NumberFormat(e,{minimumIntegerDigits:2,useGrouping:!1}).format(t),wr=(t,e)=>{let n=Math.floor(t/1e3),r=[Math.floor(n/3600),Math.floor(n/60)%60,n%60];return(r[0]===0?r.slice(1):r).map(o=>gr(o,e)).join(":")},Ke=class extends q{static styles=en;static properties={payment:{},checkout:{},token:{},locale:{},api:{},theme:{reflect:!0}};#e=null;#t=null;#o=null;#s=null;#n="en";#d=Tt;#a=null;#i=!1;#p;#l=matchMedia("(prefers-color-scheme: dark)");#r=()=>this.requestUpdate();connectedCallback(){super.connectedCallback(),this.#l.addEventListener("change",this.#r),this.#p=setInterval(()=>document.hidden||this.requestUpdate(),1e3),this.hasUpdated&&this.#m()}disconnectedCallback(){super.disconnectedCallback(),this.#l.removeEventListener("change",this.#r),clearInterval(this.#p),this.#h()}willUpdate(e){["payment","checkout","token","api"].some(n=>e.has(n))&&this.#m(),this.#_(),this.#b()}updated(){let e=this.renderRoot.querySelector(".card");e!==null&&this.#x(e),this.#S();let{state:n}=this.#t??{state:null};if(n===null||n.status===this.#s)return;this.#s=n.status;let r={id:n.id,status:n.status};this.dispatchEvent(new CustomEvent("carat-status",{detail:r,bubbles:!0,composed:!0})),this.#e?.refresh()}render(){return h`<section
      class="card"
      part="card"
      tabindex="-1"
      lang=${this.#n}
      dir=${Ct(this.#n)?"rtl":"ltr"}
    >
      ${this.#v()}
    </section>`}#h(){this.#t?.end(),this.#e?.end(),[this.#t,this.#o,this.#e,this.#s]=[null,null,null,null]}#m(){this.#h();let{payment:e,checkout:n,token:r}=this;r!=null&&(n?this.#e=qt(Ue(this.#c,"checkouts",n,r),this.#r):e&&this.#y(e,r))}get#c(){return(this.api??hr).replace(/\/$/,"")}#y(e,n){this.#t?.end(),this.#o=e,this.#t=Zt(e,Ue(this.#c,"payments",e,n),this.#r)}#_(){let e=this.#e?.checkout?.payment??null;e!==null&&e.id!==this.#o&&this.#y(e.id,e.access_token)}get#f(){let e=this.#t?.state?.locale??this.#e?.checkout?.locale;return[this.locale,e,...navigator.languages]}#b(){let e=Et(this.#f);e!==this.#n&&(this.#n=e,Wt(e).then(n=>{e===this.#n&&(this.#d=n,this.requestUpdate())},()=>{}))}get#g(){return{texts:this.#d,format:Rt(this.#n,this.#f)}}#v(){let e=this.#g,[n,r]=[this.#t,this.#e];return(r??n)?.isRefused??!0?h`<p class="status bad" part="status" role="status">${p(e,"refused")}</p>`:r!==null&&r.checkout!==null&&(r.isChoosing||r.checkout.payment===null)?Dt(e,r):n===null||n.state===null?h`<p class="status" part="status" role="status">
        <span class="spin" aria-hidden="true"></span>${p(e,"loading")}
      </p>`:this.#$(e,n)}#$(e,n){let{state:r,payer:o,wallets:s,areAllFound:a,isConnected:i}=n,l=n.timeLeft(),{checkout:c}=this.#e??{checkout:null},d=c?.former_open_until??null,u=new Intl.DateTimeFormat(e.format,{timeStyle:"short"});return Bt({words:e,state:r,payer:o,wallets:s,areAllFound:a,isConnected:i,timeLeft:l===0?null:wr(l,e.format),formerUntil:d===null?null:u.format(new Date(d)),isSlow:n.phaseAge()>mr,link:this.#u,qr:this.#a,isCopied:this.#i,copy:()=>{this.#P()},showQr:()=>{this.#k().catch(()=>{})},chooseAgain:c===null||c.choices_left===0?null:()=>this.#e?.chooseAgain()})}get#u(){let e=this.checkout??this.payment;return e===null||this.token===null?null:`${this.#c}/pay/${e}#${this.token}`}async#k(){let e=this.#u;if(this.#a!==null||e===null)return;let{qrPath:n}=await At({name:"qr.js",digest:"JThXxkuZa3iq+wvW7EAT/dHlMIa7y7hIvUKHCuxKnfM="}),{path:r,size:o}=n(e),s=`${-fe} ${-fe} ${o+2*fe} ${o+2*fe}`,a=p(this.#g,"qr_label");this.#a=pt`<svg class="qr" role="img" aria-label=${a} viewBox=${s}><path fill="#000" d=${r} /></svg>`,this.requestUpdate()}async#P(){try{await navigator.clipboard.writeText(this.#u??""),this.#i=!0}catch{this.#i=!1}this.requestUpdate()}#x(e){let n=(this.#t?.state??this.#e?.checkout)?.merchant.accent_color??null,r=getComputedStyle(this);if(n===null||r.getPropertyValue("--carat-accent")!=="")return;let o=this.#l.matches&&this.theme!=="light",s=r.getPropertyValue("--carat-surface").trim()||(o?yr:fr),a=bt(n,s);a!==null&&(e.style.setProperty("--_accent",a.accent),e.style.setProperty("--_on-accent",a.onAccent))}#w=!1;#S(){let{activeElement:e}=this.renderRoot;this.#w&&e===null&&document.hasFocus()&&document.activeElement===document.body&&this.renderRoot.querySelector("button.main:not([disabled]), a.main, .card")?.focus(),this.#w=this.renderRoot.activeElement!==null}};customElements.get("carat-pay")===void 0&&customElements.define("carat-pay",Ke);export{Ke as CaratPay};
/*! Bundled license information:

@lit/reactive-element/css-tag.js:
  (**
   * @license
   * Copyright 2019 Google LLC
   * SPDX-License-Identifier: BSD-3-Clause
   *)

@lit/reactive-element/reactive-element.js:
lit-html/lit-html.js:
lit-element/lit-element.js:
  (**
   * @license
   * Copyright 2017 Google LLC
   * SPDX-License-Identifier: BSD-3-Clause
   *)

lit-html/is-server.js:
  (**
   * @license
   * Copyright 2022 Google LLC
   * SPDX-License-Identifier: BSD-3-Clause
   *)
*/
