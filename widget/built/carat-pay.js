var w={ar:"St7R2QifhXnb7A6kzwe71qPRWA3il7Ur394Rcv2hB3U=",de:"IgJFwRdKRTeZOTghQK/HTJspsr9xeRlSQ2kJGpnFXjY=",es:"M6jDMzCZ30dvvxSeR0BhbDQk7aEshHh2v/RaQ/dQhZk=",fr:"r+bL/73N3xPCXBm/dmIHtoqimx+XPNTQKj9iwp0NS7A=",ja:"FLXTqcA+Q7xGNIrfpcqqaQE6xJX773yL6p1OFXSd+7s=",pt:"EWnwXXyQhqRkb18T9tjDlvCQNcqmnIAZxeNvjkczZw4=",zh:"9m59ZejxTEodEYPJkz7gAgRxcsQQfPCKNqWgDxicY40="};var oe=globalThis,se=oe.ShadowRoot&&(oe.ShadyCSS===void 0||oe.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,we=Symbol(),Qe=new WeakMap,J=class{constructor(e,t,r){if(this._$cssResult$=!0,r!==we)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=t}get styleSheet(){let e=this.o,t=this.t;if(se&&e===void 0){let r=t!==void 0&&t.length===1;r&&(e=Qe.get(t)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),r&&Qe.set(t,e))}return e}toString(){return this.cssText}},Xe=n=>new J(typeof n=="string"?n:n+"",void 0,we),_e=(n,...e)=>{let t=n.length===1?n[0]:e.reduce((r,o,s)=>r+(a=>{if(a._$cssResult$===!0)return a.cssText;if(typeof a=="number")return a;throw Error("Value passed to 'css' function must be a 'css' function result: "+a+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(o)+n[s+1],n[0]);return new J(t,n,we)},Je=(n,e)=>{if(se)n.adoptedStyleSheets=e.map(t=>t instanceof CSSStyleSheet?t:t.styleSheet);else for(let t of e){let r=document.createElement("style"),o=oe.litNonce;o!==void 0&&r.setAttribute("nonce",o),r.textContent=t.cssText,n.appendChild(r)}},be=se?n=>n:n=>n instanceof CSSStyleSheet?(e=>{let t="";for(let r of e.cssRules)t+=r.cssText;return Xe(t)})(n):n;var{is:tn,defineProperty:nn,getOwnPropertyDescriptor:rn,getOwnPropertyNames:on,getOwnPropertySymbols:sn,getPrototypeOf:an}=Object,ae=globalThis,Ge=ae.trustedTypes,ln=Ge?Ge.emptyScript:"",cn=ae.reactiveElementPolyfillSupport,G=(n,e)=>n,ve={toAttribute(n,e){switch(e){case Boolean:n=n?ln:null;break;case Object:case Array:n=n==null?n:JSON.stringify(n)}return n},fromAttribute(n,e){let t=n;switch(e){case Boolean:t=n!==null;break;case Number:t=n===null?null:Number(n);break;case Object:case Array:try{t=JSON.parse(n)}catch{t=null}}return t}},et=(n,e)=>!tn(n,e),Ze={attribute:!0,type:String,converter:ve,reflect:!1,useDefault:!1,hasChanged:et};Symbol.metadata??=Symbol("metadata"),ae.litPropertyMetadata??=new WeakMap;var O=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,t=Ze){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((t=Object.create(t)).wrapped=!0),this.elementProperties.set(e,t),!t.noAccessor){let r=Symbol(),o=this.getPropertyDescriptor(e,r,t);o!==void 0&&nn(this.prototype,e,o)}}static getPropertyDescriptor(e,t,r){let{get:o,set:s}=rn(this.prototype,e)??{get(){return this[t]},set(a){this[t]=a}};return{get:o,set(a){let i=o?.call(this);s?.call(this,a),this.requestUpdate(e,i,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??Ze}static _$Ei(){if(this.hasOwnProperty(G("elementProperties")))return;let e=an(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(G("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(G("properties"))){let t=this.properties,r=[...on(t),...sn(t)];for(let o of r)this.createProperty(o,t[o])}let e=this[Symbol.metadata];if(e!==null){let t=litPropertyMetadata.get(e);if(t!==void 0)for(let[r,o]of t)this.elementProperties.set(r,o)}this._$Eh=new Map;for(let[t,r]of this.elementProperties){let o=this._$Eu(t,r);o!==void 0&&this._$Eh.set(o,t)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let t=[];if(Array.isArray(e)){let r=new Set(e.flat(1/0).reverse());for(let o of r)t.unshift(be(o))}else e!==void 0&&t.push(be(e));return t}static _$Eu(e,t){let r=t.attribute;return r===!1?void 0:typeof r=="string"?r:typeof e=="string"?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,t=this.constructor.elementProperties;for(let r of t.keys())this.hasOwnProperty(r)&&(e.set(r,this[r]),delete this[r]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Je(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,t,r){this._$AK(e,r)}_$ET(e,t){let r=this.constructor.elementProperties.get(e),o=this.constructor._$Eu(e,r);if(o!==void 0&&r.reflect===!0){let s=(r.converter?.toAttribute!==void 0?r.converter:ve).toAttribute(t,r.type);this._$Em=e,s==null?this.removeAttribute(o):this.setAttribute(o,s),this._$Em=null}}_$AK(e,t){let r=this.constructor,o=r._$Eh.get(e);if(o!==void 0&&this._$Em!==o){let s=r.getPropertyOptions(o),a=typeof s.converter=="function"?{fromAttribute:s.converter}:s.converter?.fromAttribute!==void 0?s.converter:ve;this._$Em=o;let i=a.fromAttribute(t,s.type);this[o]=i??this._$Ej?.get(o)??i,this._$Em=null}}requestUpdate(e,t,r,o=!1,s){if(e!==void 0){let a=this.constructor;if(o===!1&&(s=this[e]),r??=a.getPropertyOptions(e),!((r.hasChanged??et)(s,t)||r.useDefault&&r.reflect&&s===this._$Ej?.get(e)&&!this.hasAttribute(a._$Eu(e,r))))return;this.C(e,t,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(e,t,{useDefault:r,reflect:o,wrapped:s},a){r&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,a??t??this[e]),s!==!0||a!==void 0)||(this._$AL.has(e)||(this.hasUpdated||r||(t=void 0),this._$AL.set(e,t)),o===!0&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(t){Promise.reject(t)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[o,s]of this._$Ep)this[o]=s;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[o,s]of r){let{wrapped:a}=s,i=this[o];a!==!0||this._$AL.has(o)||i===void 0||this.C(o,void 0,s,i)}}let e=!1,t=this._$AL;try{e=this.shouldUpdate(t),e?(this.willUpdate(t),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(t)):this._$EM()}catch(r){throw e=!1,this._$EM(),r}e&&this._$AE(t)}willUpdate(e){}_$AE(e){this._$EO?.forEach(t=>t.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(t=>this._$ET(t,this[t])),this._$EM()}updated(e){}firstUpdated(e){}};O.elementStyles=[],O.shadowRootOptions={mode:"open"},O[G("elementProperties")]=new Map,O[G("finalized")]=new Map,cn?.({ReactiveElement:O}),(ae.reactiveElementVersions??=[]).push("2.1.2");var Te=globalThis,tt=n=>n,ie=Te.trustedTypes,nt=ie?ie.createPolicy("lit-html",{createHTML:n=>n}):void 0,lt="$lit$",U=`lit$${Math.random().toFixed(9).slice(2)}$`,ct="?"+U,dn=`<${ct}>`,z=document,ee=()=>z.createComment(""),te=n=>n===null||typeof n!="object"&&typeof n!="function",Ce=Array.isArray,un=n=>Ce(n)||typeof n?.[Symbol.iterator]=="function",$e=`[ 	
\f\r]`,Z=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,rt=/-->/g,ot=/>/g,F=RegExp(`>|${$e}(?:([^\\s"'>=/]+)(${$e}*=${$e}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),st=/'/g,at=/"/g,dt=/^(?:script|style|textarea|title)$/i,Ee=n=>(e,...t)=>({_$litType$:n,strings:e,values:t}),m=Ee(1),ut=Ee(2),Sr=Ee(3),V=Symbol.for("lit-noChange"),h=Symbol.for("lit-nothing"),it=new WeakMap,H=z.createTreeWalker(z,129);function pt(n,e){if(!Ce(n)||!n.hasOwnProperty("raw"))throw Error("invalid template strings array");return nt!==void 0?nt.createHTML(e):e}var pn=(n,e)=>{let t=n.length-1,r=[],o,s=e===2?"<svg>":e===3?"<math>":"",a=Z;for(let i=0;i<t;i++){let l=n[i],c,u,d=-1,y=0;for(;y<l.length&&(a.lastIndex=y,u=a.exec(l),u!==null);)y=a.lastIndex,a===Z?u[1]==="!--"?a=rt:u[1]!==void 0?a=ot:u[2]!==void 0?(dt.test(u[2])&&(o=RegExp("</"+u[2],"g")),a=F):u[3]!==void 0&&(a=F):a===F?u[0]===">"?(a=o??Z,d=-1):u[1]===void 0?d=-2:(d=a.lastIndex-u[2].length,c=u[1],a=u[3]===void 0?F:u[3]==='"'?at:st):a===at||a===st?a=F:a===rt||a===ot?a=Z:(a=F,o=void 0);let _=a===F&&n[i+1].startsWith("/>")?" ":"";s+=a===Z?l+dn:d>=0?(r.push(c),l.slice(0,d)+lt+l.slice(d)+U+_):l+U+(d===-2?i:_)}return[pt(n,s+(n[t]||"<?>")+(e===2?"</svg>":e===3?"</math>":"")),r]},ne=class n{constructor({strings:e,_$litType$:t},r){let o;this.parts=[];let s=0,a=0,i=e.length-1,l=this.parts,[c,u]=pn(e,t);if(this.el=n.createElement(c,r),H.currentNode=this.el.content,t===2||t===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(o=H.nextNode())!==null&&l.length<i;){if(o.nodeType===1){if(o.hasAttributes())for(let d of o.getAttributeNames())if(d.endsWith(lt)){let y=u[a++],_=o.getAttribute(d).split(U),g=/([.?@])?(.*)/.exec(y);l.push({type:1,index:s,name:g[2],strings:_,ctor:g[1]==="."?Pe:g[1]==="?"?xe:g[1]==="@"?Ae:K}),o.removeAttribute(d)}else d.startsWith(U)&&(l.push({type:6,index:s}),o.removeAttribute(d));if(dt.test(o.tagName)){let d=o.textContent.split(U),y=d.length-1;if(y>0){o.textContent=ie?ie.emptyScript:"";for(let _=0;_<y;_++)o.append(d[_],ee()),H.nextNode(),l.push({type:2,index:++s});o.append(d[y],ee())}}}else if(o.nodeType===8)if(o.data===ct)l.push({type:2,index:s});else{let d=-1;for(;(d=o.data.indexOf(U,d+1))!==-1;)l.push({type:7,index:s}),d+=U.length-1}s++}}static createElement(e,t){let r=z.createElement("template");return r.innerHTML=e,r}};function Y(n,e,t=n,r){if(e===V)return e;let o=r!==void 0?t._$Co?.[r]:t._$Cl,s=te(e)?void 0:e._$litDirective$;return o?.constructor!==s&&(o?._$AO?.(!1),s===void 0?o=void 0:(o=new s(n),o._$AT(n,t,r)),r!==void 0?(t._$Co??=[])[r]=o:t._$Cl=o),o!==void 0&&(e=Y(n,o._$AS(n,e.values),o,r)),e}var ke=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:r}=this._$AD,o=(e?.creationScope??z).importNode(t,!0);H.currentNode=o;let s=H.nextNode(),a=0,i=0,l=r[0];for(;l!==void 0;){if(a===l.index){let c;l.type===2?c=new re(s,s.nextSibling,this,e):l.type===1?c=new l.ctor(s,l.name,l.strings,this,e):l.type===6&&(c=new Se(s,this,e)),this._$AV.push(c),l=r[++i]}a!==l?.index&&(s=H.nextNode(),a++)}return H.currentNode=z,o}p(e){let t=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(e,r,t),t+=r.strings.length-2):r._$AI(e[t])),t++}},re=class n{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,r,o){this.type=2,this._$AH=h,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=r,this.options=o,this._$Cv=o?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=Y(this,e,t),te(e)?e===h||e==null||e===""?(this._$AH!==h&&this._$AR(),this._$AH=h):e!==this._$AH&&e!==V&&this._(e):e._$litType$!==void 0?this.$(e):e.nodeType!==void 0?this.T(e):un(e)?this.k(e):this._(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==h&&te(this._$AH)?this._$AA.nextSibling.data=e:this.T(z.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:r}=e,o=typeof r=="number"?this._$AC(e):(r.el===void 0&&(r.el=ne.createElement(pt(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===o)this._$AH.p(t);else{let s=new ke(o,this),a=s.u(this.options);s.p(t),this.T(a),this._$AH=s}}_$AC(e){let t=it.get(e.strings);return t===void 0&&it.set(e.strings,t=new ne(e)),t}k(e){Ce(this._$AH)||(this._$AH=[],this._$AR());let t=this._$AH,r,o=0;for(let s of e)o===t.length?t.push(r=new n(this.O(ee()),this.O(ee()),this,this.options)):r=t[o],r._$AI(s),o++;o<t.length&&(this._$AR(r&&r._$AB.nextSibling,o),t.length=o)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let r=tt(e).nextSibling;tt(e).remove(),e=r}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},K=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,r,o,s){this.type=1,this._$AH=h,this._$AN=void 0,this.element=e,this.name=t,this._$AM=o,this.options=s,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=h}_$AI(e,t=this,r,o){let s=this.strings,a=!1;if(s===void 0)e=Y(this,e,t,0),a=!te(e)||e!==this._$AH&&e!==V,a&&(this._$AH=e);else{let i=e,l,c;for(e=s[0],l=0;l<s.length-1;l++)c=Y(this,i[r+l],t,l),c===V&&(c=this._$AH[l]),a||=!te(c)||c!==this._$AH[l],c===h?e=h:e!==h&&(e+=(c??"")+s[l+1]),this._$AH[l]=c}a&&!o&&this.j(e)}j(e){e===h?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??"")}},Pe=class extends K{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===h?void 0:e}},xe=class extends K{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==h)}},Ae=class extends K{constructor(e,t,r,o,s){super(e,t,r,o,s),this.type=5}_$AI(e,t=this){if((e=Y(this,e,t,0)??h)===V)return;let r=this._$AH,o=e===h&&r!==h||e.capture!==r.capture||e.once!==r.once||e.passive!==r.passive,s=e!==h&&(r===h||o);o&&this.element.removeEventListener(this.name,this,r),s&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},Se=class{constructor(e,t,r){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(e){Y(this,e)}};var hn=Te.litHtmlPolyfillSupport;hn?.(ne,re),(Te.litHtmlVersions??=[]).push("3.3.3");var ht=(n,e,t)=>{let r=t?.renderBefore??e,o=r._$litPart$;if(o===void 0){let s=t?.renderBefore??null;r._$litPart$=o=new re(e.insertBefore(ee(),s),s,void 0,t??{})}return o._$AI(n),o};var Re=globalThis,q=class extends O{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=ht(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return V}};q._$litElement$=!0,q.finalized=!0,Re.litElementHydrateSupport?.({LitElement:q});var mn=Re.litElementPolyfillSupport;mn?.({LitElement:q});(Re.litElementVersions??=[]).push("4.2.2");var mt=n=>{let e=/^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(n);return e===null?null:[parseInt(e[1],16),parseInt(e[2],16),parseInt(e[3],16)]},yt=n=>`#${n.map(e=>Math.round(e).toString(16).padStart(2,"0")).join("")}`,We=n=>{let[e,t,r]=n.map(o=>{let s=o/255;return s<=.04045?s/12.92:((s+.055)/1.055)**2.4});return .2126*e+.7152*t+.0722*r},ft=(n,e)=>{let[t,r]=[We(n),We(e)].toSorted((o,s)=>o-s);return(r+.05)/(t+.05)},gt=[0,0,0],Le=[255,255,255],wt=4.5,yn=(n,e)=>{let t=We(n)>.18?gt:Le;for(let r=0;r<20;r+=1){let o=e.map((s,a)=>s+(t[a]-s)*r/20);if(ft(o,n)>=wt)return o}return t},_t=(n,e)=>{let[t,r]=[mt(n),mt(e)];if(t===null||r===null)return null;let o=yn(r,t),s=ft(o,Le)>=wt?Le:gt;return{accent:yt(o),onAccent:yt(s)}};var fn=n=>{let e=new Intl.NumberFormat(n,{useGrouping:!1});return{decimal:new Intl.NumberFormat(n,{minimumFractionDigits:1}).formatToParts(0).find(({type:r})=>r==="decimal").value,digit:r=>e.format(Number(r))}},M=(n,e,t)=>{let r=n.toString().padStart(e+1,"0"),o=new Intl.NumberFormat(t).format(BigInt(r.slice(0,r.length-e))),s=r.slice(r.length-e,r.length).replace(/0+$/,""),a=e===0?"":s.padEnd(Math.min(2,e),"0");if(a==="")return o;let{decimal:i,digit:l}=fn(t);return`${o}${i}${a.replaceAll(/\d/g,l)}`},bt=n=>`${n.slice(0,8)}…${n.slice(-6)}`;var S=class extends Error{status;code;retryAfter;constructor(e,t,r){super(`${e} ${t}`),this.status=e,this.code=t,this.retryAfter=r}},vt=2e4,gn=45e3,wn=5e3,_n=3e4,bn=2,vn=async n=>{let e=await n.json().catch(()=>({})),t=Number(n.headers.get("Retry-After")??0);return new S(n.status,String(e.code??""),t>0?t*1e3:0)},$n=({status:n})=>n===401||n===404||n===409,kn=async(n,e,t)=>{let r=n.pipeThrough(new TextDecoderStream).getReader(),o="";for(;;){let{done:s,value:a}=await r.read();if(s)return;e();let i=(o+a).split(/\r?\n\r?\n/);o=i.pop();for(let l of i){let u=l.split(/\r?\n/).filter(d=>d.startsWith("data:")).map(d=>d.slice(5).trimStart());u.length>0&&t(u.join(`
`))}}},Pn=(n,e)=>new Promise(t=>{let r=()=>{clearTimeout(s),removeEventListener("online",r),document.removeEventListener("visibilitychange",o),t()},o=()=>{document.hidden||r()},s=setTimeout(r,n);addEventListener("online",r),document.addEventListener("visibilitychange",o),e.addEventListener("abort",r)}),Oe=(n,e,t,r)=>{let o=`${n}/api/v1/widget/${e}/${encodeURIComponent(t)}`,s=async(c,u,d={})=>{let y={Authorization:`Bearer ${r}`,...d.headers},_={...d,headers:y,signal:u,cache:"no-store",credentials:"omit",referrerPolicy:"no-referrer"},g=await fetch(o+c,_).catch(()=>{throw new S(0,"",0)});if(!g.ok)throw await vn(g);return g},a=async(c,u)=>await(await s(c,AbortSignal.timeout(vt),u)).json().catch(()=>{throw new S(0,"",0)}),i=async(c,u)=>{let d=new AbortController,y=setTimeout(()=>d.abort(),vt),_=()=>{clearTimeout(y),y=setTimeout(()=>d.abort(),gn)},g=!1;try{let k=AbortSignal.any([u,d.signal]),W=await s("/events",k,{headers:{Accept:"text/event-stream"}});await kn(W.body,_,B=>{g=!0,c.connected(!0),c.state(JSON.parse(B))})}catch(k){if(!g)throw k}finally{clearTimeout(y)}if(!g)throw new S(0,"",0)},l=async(c,u)=>{let d=0;for(;!u.aborted;){let y=0;try{d<bn||d%10===0?await i(c,u):(c.state(await a("/events",{headers:{Accept:"application/json"}})),c.connected(!0),d+=1,y=wn),y===0&&(d=0)}catch(_){if(u.aborted)return;if(_ instanceof S&&$n(_))return c.refused();d+=1,c.connected(!1),y=Math.max(Math.min(_n,1e3*2**Math.min(d,5)),_.retryAfter??0)}await Pn(Math.max(y,1e3)*(.5+Math.random()/2),u)}};return{payment:()=>a(""),checkout:()=>a(""),choose:c=>a("/choose",{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify({option:c})}),follow:c=>{let u=new AbortController;return l(c,u.signal),()=>u.abort()}}};var $t=({name:n,digest:e})=>new URL(n.replace(".",`-${e.slice(0,12).replaceAll(/[+/]/g,"_")}.`),import.meta.url).href,Me=async n=>{let e=await fetch($t(n),{integrity:`sha256-${n.digest}`,credentials:"omit"});if(!e.ok)throw new Error(`${n.name}: ${e.status}`);return e},kt=async n=>(await(await Me(n)).arrayBuffer(),await import($t(n)));var le={page_title:"Pay {merchant}",loading:"Loading your order.",refused:"This payment link is not valid or has ended. Ask the shop for a new one.",no_script:"This page needs JavaScript to talk to your wallet.",reconnecting:"The connection is lost. This page shows the last known state and is trying again.",merchant_logo:"Logo of {merchant}",to_pay:"Amount due",on_network:"on {network}",order:"Order {order}",items:"Your order",recipient:"Recipient",show_address:"Show the whole address",time_left:"Time left",back_to_shop:"Back to the shop",cancel_order:"Do not pay, back to the shop",see_transaction:"See the transaction",paid_by:"Paid by",status_pending:"Your order is being prepared. This page goes on by itself.",status_former_choice_open:"Your earlier choice is being closed, so that you cannot pay twice. This page goes on by itself.",status_former_choice_until:"Your earlier choice is being closed, so that you cannot pay twice. This takes until {time} at most.",status_not_payable:"The order cannot be paid at this moment. This page goes on by itself.",status_awaiting_payment:"Choose your wallet to pay.",status_ready:"You can pay now.",status_processing:"Your payment is on the network. {seen} of {needed} confirmations.",status_completed:"Paid. Thank you!",status_expired:"The time to pay this order is over. Nothing can be paid any more.",status_canceling:"The shop is canceling this order. Do not pay it.",status_canceled:"This order is canceled. Nothing can be paid any more.",status_failed:"This order cannot be paid. Ask the shop for a new one.",choose_title:"How do you want to pay?",choose_option:"{amount} on {network}",choose_again:"Pay in another way",choose_failed:"The choice was not accepted. Try again.",choose_none_left:"You cannot choose again for this order.",choose_busy:"A payment for this order is already on its way.",wallet_choose:"Choose your wallet",wallet_injected:"Wallet of this browser",wallet_none:"No wallet was found in this browser.",wallet_none_help:"Open this page in the browser of your wallet app, or install a wallet and reload the page.",wallet_open_in:"Open in {wallet}",wallet_other:"Use another wallet",wallet_connected:"Connected account",wallet_balance:"You have {amount}.",phone:"Pay with your phone",phone_help:"Scan this code to open this page on your phone, in the browser of your wallet app. The code is no payment address.",qr_label:"QR code of this page's address",copy_link:"Copy the link to this page",copied:"Copied.",warning:"Pay only with the button on this page. Coins or tokens that you send in another way do not pay this order.",pay_button:"Pay {amount}",again_button:"Try again",pay_again_button:"Pay again",sent_again_warning:"If your wallet still asks for this payment, confirm or reject it there first.",ask_connect:"Allow your wallet to show this page your account.",ask_switch:"Confirm the change to {network} in your wallet.",ask_reset:"Confirm in your wallet that the old allowance is removed.",ask_approve:"Allow {amount} in your wallet. The shop can take exactly this amount, for this order only.",ask_permit:"Sign the allowance of {amount} in your wallet. It costs nothing.",ask_batch:"Confirm the payment of {amount} in your wallet.",ask_pay:"Confirm the payment of {amount} in your wallet.",ask_step:"Step {step} of {steps}.",ask_slow:"No answer yet? Open your wallet: it may wait behind this window.",checking:"Looking at your account.",approving:"The network confirms the allowance. The payment is next.",sent:"Your wallet has sent the payment. This page shows when the network has it.",sent_late:"The network has not seen the payment yet. It may be slow, or your wallet collects more signatures. Leave this page open.",trouble_rejected:"You rejected the request in your wallet. Nothing was sent.",trouble_locked:"Your wallet is locked or does not share this account any more. Unlock it and try again.",trouble_unsupported:"Your wallet cannot do this. Use another wallet.",trouble_wallet_offline:"Your wallet has no connection to the network. Check its connection and try again.",trouble_busy:"Your wallet still waits for an answer to an earlier request. Open it and answer there, then try again.",trouble_unknown_network:"Your wallet does not know {network}. Add the network in your wallet, then try again.",trouble_no_answer:"Your wallet did not answer. Its connection to {network} may be down. Try again.",trouble_wallet_failed:"Your wallet reports an error. Nothing was sent. Try again, or use another wallet.",trouble_unknown_batch:"Your wallet does not know this payment any more. Try again.",trouble_no_account:"Your wallet shows no account. Choose one in your wallet and try again.",trouble_wrong_network:"Your wallet is on another network. Change it to {network}, then try again.",trouble_other_chain:"The network that your wallet calls {network} is another one. Check the network's settings in your wallet.",trouble_few_tokens:"You have {has}, {needs} is due.",trouble_few_coins:"You have {has}, {needs} is due.",trouble_few_fees:"With the network's fee you need {needs}, and you have {has}.",trouble_approval_failed:"The network refused the allowance. Nothing was paid. Try again.",trouble_payment_failed:"The network refused the payment. Nothing was paid but the network's fee. Try again.",trouble_terms_changed:"The order has changed. Check it and try again.",trouble_service_silent:"The payment service does not answer. Nothing was sent. Try again.",trouble_other_tab:"You are paying this order in another tab. Go on there.",trouble_maybe_sent:"Your wallet reports an error, and may have sent the payment. Press the button to look for it.",error_Paused:"Payments are paused on this network. Try again later.",error_DealExpired:"The time to pay this order is over.",error_DealNotOpen:"This order was already paid or canceled, or it cannot be paid yet.",error_OfferExpired:"The offer of this order has just ended. Try again.",error_NotSigner:"The offer of this order is no longer valid. Try again.",error_TokenCallFailed:"The token refused the transfer: check your balance and the allowance.",error_NativeTransferFailed:"The recipient did not accept the coins. Nothing was paid.",error_other:"The shop's contract refused the payment. Nothing was paid."};var An=["en","de","es","fr","pt","ar","zh","ja"],Pt=le,xt=n=>n==="ar",At=n=>n.map(t=>t?.toLowerCase().split("-")[0]).find(t=>An.includes(t))??"en",St=(n,e)=>e.find(t=>t?.toLowerCase().split("-")[0]===n&&Sn(t))??n,Sn=n=>{try{return Intl.getCanonicalLocales(n).length===1}catch{return!1}},Tt=async n=>{if(n==="en")return le;let e=await Me({name:`texts-${n}.json`,digest:w[n]});return{...le,...await e.json()}},Ct=(n,e={})=>n.replaceAll(/\{(\w+)\}/g,(t,r)=>String(e[r]??t));var p=({texts:n},e,t)=>Ct(n[e],t),ce=({format:n},{amount:e,decimals:t,currency:r})=>`${M(e,t,n)} ${r}`,Tn=18,Et=(n,e,t,r)=>{let o=10n**12n,s=(n+(r?o-1n:0n))/o*o;return`${M(s,Tn,t)} ${e}`},Cn=(n,e,{trouble:t,has:r=0n,needs:o=0n,error:s})=>{let{format:a}=n,{network:i}=e;if(t==="refused_by_contract"){let c=`error_${s}`;return p(n,c in n.texts?c:"error_other")}if(t==="few_fees")return p(n,"trouble_few_fees",{has:Et(r,i.native_symbol,a,!1),needs:Et(o,i.native_symbol,a,!0)});let l=c=>`${M(c,e.decimals,a)} ${e.currency}`;return p(n,`trouble_${t}`,{network:i.name,has:l(r),needs:l(o)})},En=(n,e,t)=>{let r={network:e.network.name,amount:ce(n,e)};switch(t.name){case"no_wallet":return p(n,"status_awaiting_payment");case"ready":return p(n,"status_ready",r);case"checking":case"approving":return p(n,t.name);case"asking":{let o=p(n,`ask_${t.question}`,r),{step:s,steps:a}=t;return a===1?o:`${p(n,"ask_step",{step:s,steps:a})} ${o}`}case"sent":return p(n,t.isLate?"sent_late":"sent");case"trouble":return Cn(n,e,t)}},Ne=({name:n})=>["checking","asking","approving","sent"].includes(n),Rt=(n,e,t,r)=>{let{status:o,status_detail:s,payable:a,confirmations:i}=e;return o==="processing"?p(n,"status_processing",i):o!=="pending"&&o!=="awaiting_payment"?p(n,`status_${o}`):a||Ne(t)?En(n,e,t):s==="former_choice_open"?r===null?p(n,"status_former_choice_open"):p(n,"status_former_choice_until",{time:r}):p(n,o==="pending"?"status_pending":"status_not_payable")};var Rn=5e3,Wn={too_many_choices:"choose_none_left",payment_not_cancelable:"choose_busy"},Ie=({status:n})=>n!=="open"&&n!=="chosen",Wt=(n,e)=>{let t=null,[r,o,s,a]=[!1,!1,!1,!1],i=null,l,c=d=>{t=d,Ie(d)&&(o=!1),e()},u=async()=>{clearTimeout(l);try{c(await n.checkout())}catch(d){if(d instanceof S&&(d.status===401||d.status===404))return r=!0,e()}a||t!==null&&Ie(t)||(clearTimeout(l),l=setTimeout(()=>{u()},Rn*(.75+Math.random()/2)))};return u(),{get checkout(){return t},get isRefused(){return r},get trouble(){return i},get isChoosing(){return o},get isBusy(){return s},choose:async d=>{if(!s){[s,i]=[!0,null],e();try{let y=await n.choose(d);o=!1,c(y)}catch(y){i=(y instanceof S?Wn[y.code]:void 0)??"choose_failed"}s=!1,e()}},chooseAgain:()=>{[o,i]=[!0,null],e()},refresh:()=>{u()},end:()=>{a=!0,clearTimeout(l)}}},Lt=(n,e)=>{let{options:t,merchant:r,items:o,success_url:s,cancel_url:a,status:i}=e.checkout,l=Ie(e.checkout),c=(i==="completed"?s:a)??s??a;return m`
    <header class="merchant" part="merchant">
      ${r.logo_url===null?h:m`<img src=${r.logo_url} alt="" referrerpolicy="no-referrer" />`}
      <bdi>${r.name}</bdi>
    </header>
    ${o.length===0?h:m`<ul class="items" part="items">
            ${o.map(({name:u})=>m`<li><bdi>${u}</bdi></li>`)}
          </ul>`}
    <p class="status ${l&&i!=="completed"?"bad":""}" part="status" role="status" aria-live="polite">
      ${p(n,l?`status_${i}`:e.trouble??"choose_title")}
    </p>
    ${l?h:m`<ul class="stack">
            ${t.map(({amount:u,decimals:d,currency:y,network:_},g)=>{let k=`${M(u,d,n.format)} ${y}`;return m`<li>
                <button type="button" part="button" ?disabled=${e.isBusy} @click=${()=>{e.choose(g)}}>
                  <bdi>${p(n,"choose_option",{amount:k,network:_.name})}</bdi>
                </button>
              </li>`})}
          </ul>`}
    ${c===null?h:m`<a class="link ${l?"main":"plain"}" href=${c} rel="noreferrer noopener" target="_top"
            >${p(n,l?"back_to_shop":"cancel_order")}</a
          >`}
  `};var Ln={4001:"rejected",4100:"locked",4200:"unsupported",[-32601]:"unsupported",[-32004]:"unsupported",5700:"unsupported",5710:"unsupported",5750:"rejected",5760:"unsupported",4900:"wallet_offline",4901:"wallet_offline",4902:"unknown_network",5730:"unknown_batch",[-32002]:"busy"},N=class extends Error{fault;revert;constructor(e,t=null){super(e),this.fault=e,this.revert=t}},On=5,Ot=(n,e=0)=>{if(typeof n!="object"||n===null||e>On)return[];let t=n;return[t,...[t.data,t.error,t.cause,t.originalError].flatMap(r=>Ot(r,e+1))]},Mn=/^0x[0-9a-f]{8,}$/i,E=n=>{if(n instanceof N)return n;let e=Ot(n),t=e.map(({data:a})=>a).find(a=>typeof a=="string"&&Mn.test(a)),r=e.map(({code:a})=>Ln[Number(a)]).filter(a=>a!==void 0),o=e.some(({code:a,message:i})=>a==="ACTION_REJECTED"||/user (rejected|denied|cancell?ed)/i.test(String(i))),s=r.at(-1)??(o?"rejected":"wallet_failed");return new N(s,t??null)},T=async(n,e,t)=>{try{return await n.request(t===void 0?{method:e}:{method:e,params:t})}catch(r){throw E(r)}},Nn=15e3,C=(n,e,t)=>new Promise((r,o)=>{let s=setTimeout(()=>o(new N("no_answer")),Nn);T(n,e,t).then(r,o).finally(()=>clearTimeout(s))});var L=(n,e,t)=>({name:"asking",question:n,step:e,steps:t}),I=class extends Error{phase;constructor(e){super(e.name),this.phase=e}},$=(n,e={})=>new I({name:"trouble",trouble:n,...e}),Q=(n,e=null)=>{if(n instanceof I)return n;if(n instanceof S)return $("service_silent");let{fault:t,revert:r}=E(n),o=e?.contract.errors.find(({selector:s})=>r?.toLowerCase().startsWith(s));return o===void 0?$(t):$("refused_by_contract",{error:o.name})};var In=/^0x[0-9a-f]{1,64}$/i,X=n=>{if(typeof n!="string"||!In.test(n))throw new N("wallet_failed");return BigInt(n)},de=n=>n.slice(2).toLowerCase().padStart(64,"0"),R=n=>`0x${n.toString(16)}`,P=n=>{let e=async(t,r)=>X(await C(n,"eth_call",[{to:t,data:r},"latest"]));return{chainId:async()=>Number(X(await C(n,"eth_chainId"))),accounts:async()=>ue(await C(n,"eth_accounts")),coins:async t=>X(await C(n,"eth_getBalance",[t,"latest"])),tokens:(t,r)=>e(t,`0x70a08231${de(r)}`),allowance:(t,r,o)=>e(t,`0xdd62ed3e${de(r)}${de(o)}`),permitNonce:(t,r)=>e(t,`0x7ecebe00${de(r)}`),hasCode:async t=>{let r=await C(n,"eth_getCode",[t,"latest"]);return typeof r=="string"&&r.length>2},sentCount:async t=>X(await C(n,"eth_getTransactionCount",[t,"pending"])),gasPrice:async()=>X(await C(n,"eth_gasPrice")),gas:async({from:t,to:r,data:o,value:s})=>X(await C(n,"eth_estimateGas",[{from:t,to:r,data:o,value:R(BigInt(s))}])),outcome:async t=>{let r=await C(n,"eth_getTransactionReceipt",[t]);return r===null||typeof r!="object"?null:r.status==="0x0"?"failed":"mined"}}},Un=/^0x[0-9a-f]{40}$/i,ue=n=>Array.isArray(n)?n.filter(e=>Un.test(String(e))):[];var j=(n,e)=>n?.toLowerCase()===e?.toLowerCase(),qn=async({wallet:n,state:e})=>{let{network_id:t,network:r}=e();if(r.rpc_urls.length===0)throw $("unknown_network");await T(n.provider,"wallet_addEthereumChain",[{chainId:R(t),chainName:r.name,nativeCurrency:{name:r.native_symbol,symbol:r.native_symbol,decimals:18},rpcUrls:r.rpc_urls,...r.explorer_url===null?{}:{blockExplorerUrls:[r.explorer_url]}}])},Mt=async n=>{let{wallet:e,state:t,enter:r}=n,o=P(e.provider),{network_id:s,diamond_address:a}=t(),i=()=>T(e.provider,"wallet_switchEthereumChain",[{chainId:R(s)}]);if(await o.chainId()!==s){r(L("switch",1,1));try{await i()}catch(l){if(E(l).fault!=="unknown_network")throw l;await qn(n),await o.chainId()!==s&&await i()}if(await o.chainId()!==s)throw $("wrong_network");r({name:"checking"})}if(a!==null&&!await o.hasCode(a))throw $("other_chain")},pe=async({wallet:n,account:e,state:t})=>{let r=P(n.provider);if(!(await r.accounts()).some(o=>j(o,e)))throw $("locked");if(await r.chainId()!==t().network_id)throw $("wrong_network")};var Nt=async(n,e,t)=>{let r=R(t);try{let o=await C(n,"wallet_getCapabilities",[e,[r]]),{atomic:s}=o[r]??{};return s?.status==="supported"}catch{return!1}},It=async({provider:n,account:e,networkId:t,calls:r,id:o})=>{let s=await T(n,"wallet_sendCalls",[{version:"2.0.0",id:o,from:e,chainId:R(t),atomicRequired:!0,calls:r.map(({to:i,data:l,value:c})=>({to:i,data:l,value:R(BigInt(c))}))}]),{id:a}=s??{};return typeof a=="string"?a:o},Ue=async(n,e)=>{try{let{status:t}=await T(n,"wallet_getCallsStatus",[e]);return Number(t)>=400?"failed":null}catch(t){if(E(t).fault==="unknown_batch")return"unknown";throw t}},jn=/^0x[0-9a-f]{130}$/i,Bn=n=>{let e=parseInt(n.slice(130),16);return(e<27?e+27:e).toString(16).padStart(64,"0")},Ut=async(n,e,t,r)=>{let{typed_data:o,data:s}=e,a={owner:t,...o.message,nonce:r.toString()},i=await T(n,"eth_signTypedData_v4",[t,JSON.stringify({...o,message:a})]);if(typeof i!="string"||!jn.test(i))throw new N("wallet_failed");return`${s}${Bn(i)}${i.slice(2,130)}`};var Dn=120000n,Fn=n=>typeof n=="string"&&/^0x[0-9a-f]{64}$/i.test(n),De=({account:n},e)=>({from:n,to:e.diamond_address,data:e.contract.data,value:e.contract.value}),qe=({account:n},e,t)=>({from:n,to:e.token_address,data:t,value:"0"}),Fe=async({provider:n},{account:e,sentBefore:t})=>{try{return await P(n).sentCount(e)>BigInt(t)}catch{return!0}},Bt=async({service:n,state:e})=>{let t=await n.payment(),r=e();if(!(t.amount===r.amount&&t.decimals===r.decimals&&t.currency===r.currency&&t.network_id===r.network_id&&j(t.payment_address,r.payment_address)&&j(t.token_address,r.token_address)))throw $("terms_changed");if(!t.payable)throw new I({name:"ready"});return t},je=async({wallet:n,account:e},t,r)=>{let o=P(n.provider),{token_address:s}=t,[a,i]=[BigInt(t.contract.value),BigInt(t.amount)],l=await o.coins(e);if(l<a)throw $("few_coins",{has:l,needs:a});if(s!==null){let u=await o.tokens(s,e);if(u<i)throw $("few_tokens",{has:u,needs:i})}if(r===0n)return;let c=a+r*await o.gasPrice();if(l<c)throw $("few_fees",{has:l,needs:c})},Be=async(n,e,t,r)=>{let{wallet:o,account:s,memory:a,enter:i}=n;await pe(n),i(e);let l=(await P(o.provider).sentCount(s)).toString(),c={step:t,wallet:o.id,account:s,sentBefore:l,hash:null};a.save(c);try{let{from:u,to:d,data:y,value:_}=r,g=R(n.state().network_id),k={from:u,to:d,data:y,value:R(BigInt(_)),chainId:g},W=await T(o.provider,"eth_sendTransaction",[k]),B=Fn(W)?W:null;return a.save({...c,hash:B??"unknown"}),B}catch(u){throw!["rejected","locked","unsupported","busy"].includes(E(u).fault)&&await Fe(o,c)?$("maybe_sent"):(a.clear(),u)}},qt=async(n,e,t,r)=>{let{wallet:o,account:s,memory:a,enter:i,nextLook:l}=n,c=P(o.provider);i({name:"approving"});let{spender:u}=e.approval;for(;!t(await c.allowance(e.token_address,s,u));){if(r!==null&&await c.outcome(r)==="failed")throw $("approval_failed");await l()}a.clear()},he=async(n,e,[t,r],o=De(n,e))=>{await je(n,e,0n);let s=await P(n.wallet.provider).gas(o).catch(a=>{throw Q(a,e)});return await je(n,e,s),Be(n,L("pay",t,r),"pay",o)},Hn=async(n,e,t)=>{let{data:r,reset_data:o}=e.approval,s=qe(n,e,r),a=()=>P(n.wallet.provider).gas(s).then(()=>!0,()=>!1),i=t>0n&&!await a()?3:2;if(i===3){let c=await Be(n,L("reset",1,i),"approve",qe(n,e,o));await qt(n,e,u=>u===0n,c)}let l=await Be(n,L("approve",i-1,i),"approve",s);return await qt(n,e,c=>c>=BigInt(e.amount),l),he(n,await Bt(n),[i,i])},zn=async(n,e,t)=>{let{wallet:r,account:o,memory:s,enter:a}=n;await pe(n),a(L("batch",1,1));let{data:i,reset_data:l}=e.approval,u=[...(t===0n?[i]:[l,i]).map(g=>qe(n,e,g)),De(n,e)],y=`0x${[...crypto.getRandomValues(new Uint8Array(32))].map(g=>g.toString(16).padStart(2,"0")).join("")}`,_={step:"batch",wallet:r.id,account:o,sentBefore:"0",hash:y};s.save(_);try{let g=await It({provider:r.provider,account:o,networkId:e.network_id,calls:u,id:y});return s.save({..._,hash:g}),null}catch(g){throw E(g).fault==="wallet_failed"?$("maybe_sent"):(s.clear(),g)}},Vn=async(n,e)=>{let{wallet:t,account:r,enter:o}=n,s=await P(t.provider).permitNonce(e.token_address,r);await pe(n),o(L("permit",1,2));let a=await Ut(t.provider,e.permit,r,s);return he(n,e,[2,2],{...De(n,e),data:a})},jt=async n=>{try{return await n()}catch(e){if(e instanceof I||E(e).fault!=="unsupported")throw e;return"unsupported"}},Yn=async(n,e)=>{let{wallet:t,account:r}=n,o=P(t.provider),s=await o.allowance(e.token_address,r,e.approval.spender);if(s>=BigInt(e.amount))return he(n,e,[1,1]);if(await Nt(t.provider,r,e.network_id)){let a=await jt(()=>zn(n,e,s));if(a!=="unsupported")return a}if(await je(n,e,Dn),e.permit!=null&&!await o.hasCode(r)){let a=await jt(()=>Vn(n,e));if(a!=="unsupported")return a}return Hn(n,e,s)},Dt=async n=>{let e=null;try{await Mt(n);let{token_address:t,amount:r}=n.state();if(t!==null){let o=await P(n.wallet.provider).tokens(t,n.account);if(o<BigInt(r))throw $("few_tokens",{has:o,needs:BigInt(r)})}return e=await Bt(n),e.token_address===null?await he(n,e,[1,1]):await Yn(n,e)}catch(t){throw Q(t,e)}};var Kn=n=>{let{step:e,wallet:t,account:r,sentBefore:o,hash:s}=n??{};return["approve","pay","batch"].includes(e)&&typeof t=="string"&&typeof r=="string"&&/^\d+$/.test(String(o))&&(s===null||typeof s=="string")},Ft=n=>{let e=`carat-pay:${n}`,t=null,r=(o,s)=>{try{return o(localStorage)}catch{return s}};return{load:()=>{let o=r(s=>s.getItem(e),t)??t;try{let s=JSON.parse(o??"null");return Kn(s)?s:null}catch{return null}},save:o=>{t=JSON.stringify(o),r(s=>s.setItem(e,t),void 0)},clear:()=>{t=null,r(o=>o.removeItem(e),void 0)}}};var Qn=12e4,[Xn,Jn]=[1e3,15e3],Gn=async(n,e)=>{if(!("locks"in navigator))return e();await navigator.locks.request(`carat-pay:${n}`,{ifAvailable:!0},async t=>{if(t===null)throw $("other_tab");await e()})},Ht=({paymentId:n,service:e,state:t,changed:r})=>{let o=Ft(n),s={name:"no_wallet"},a=null,i=null,l=null,c=0,u=()=>{},d=f=>{s=f,r()},y=()=>{let f=c+=1,b=()=>{if(f!==c)throw new I(s)};return{isCurrent:()=>f===c,enter:v=>{b(),d(v)},nextLook:async()=>{let v=Math.min(Math.max(t().network.block_time_ms,Xn),Jn);await new Promise(x=>setTimeout(x,v)),b()}}},_=async()=>{let f=c,[b,v,{token_address:x,network_id:A}]=[P(a.provider),i,t()],fe=await(async()=>{if(await b.chainId()!==A)return null;let ge=x===null?null:await b.tokens(x,v);return{coins:await b.coins(v),tokens:ge}})().catch(()=>null);f===c&&(l=fe,r())},g=()=>{c+=1,d({name:"ready"}),_()},k=()=>{c+=1,u(),[a,i,l]=[null,null,null],d({name:"no_wallet"})},W=({provider:f})=>{let b=x=>{let[A]=ue(x);if(!(s.name==="sent"||j(A??null,i))){if(A===void 0)return k();i=A,l=null,g()}},v=()=>{s.name==="ready"&&_()};f.on?.("accountsChanged",b),f.on?.("chainChanged",v),u=()=>{f.removeListener?.("accountsChanged",b),f.removeListener?.("chainChanged",v),u=()=>{}}},B=f=>{let{isCurrent:b,nextLook:v,enter:x}=y();d({name:"sent",hash:f,isLate:!1});let{provider:A}=a,D=o.load(),fe=()=>D?.step==="batch"?Ue(A,D.hash):f===null?Promise.resolve(null):P(A).outcome(f),ge=Date.now();(async()=>{for(;b();){if(await v(),await fe().catch(()=>null)==="failed"){o.clear(),x({name:"trouble",trouble:"payment_failed"});return}Date.now()-ge>Qn&&x({name:"sent",hash:f,isLate:!0})}})().catch(()=>{})},Ye=async()=>{let f=o.load();if(f===null||f.step==="approve"||!j(f.account,i))return!1;let b=f.step==="batch"?await Ue(a.provider,f.hash).then(v=>v===null,()=>!0):f.hash!==null||await Fe(a,f);return b?B(f.step==="batch"||f.hash==="unknown"?null:f.hash):o.clear(),b},Ke=async(f,b)=>{u(),[a,i,l]=[f,b,null],W(f),await Ye()||g()};return{get phase(){return s},get wallet(){return a},get account(){return i},get funds(){return l},connect:async f=>{let{isCurrent:b}=y();a=f,d(L("connect",1,1));try{let[v]=ue(await T(f.provider,"eth_requestAccounts"));if(!b())return;if(v===void 0)throw $("no_account");await Ke(f,v)}catch(v){b()&&d(Q(v).phase)}},resume:async f=>{let b=o.load(),v=f.find(({id:D})=>D===b?.wallet);if(b===null||v===void 0||s.name!=="no_wallet")return;let x=await P(v.provider).accounts().catch(()=>[]);s.name==="no_wallet"&&a===null&&x.some(D=>j(D,b.account))&&await Ke(v,b.account)},pay:async()=>{if(a===null||i===null||s.name!=="ready"&&s.name!=="trouble")return;let{isCurrent:f,enter:b,nextLook:v}=y(),x={wallet:a,account:i,service:e,memory:o,state:t,enter:b,nextLook:v};d({name:"checking"});try{await Gn(n,async()=>{if(await Ye())return;let A=await Dt(x);f()&&B(A)})}catch(A){f()&&d(Q(A).phase)}},leave:k,forget:()=>{o.clear(),g()},settle:()=>{c+=1,o.clear()},end:()=>{c+=1,u()}}};function zt(n){if(typeof window>"u")return;let e=t=>n(t.detail);return window.addEventListener("eip6963:announceProvider",e),window.dispatchEvent(new CustomEvent("eip6963:requestProvider")),()=>window.removeEventListener("eip6963:announceProvider",e)}function He(){let n=new Set,e=[],t=()=>zt(o=>{e.some(({info:s})=>s.uuid===o.info.uuid)||(e=[...e,o],n.forEach(s=>s(e,{added:[o]})))}),r=t();return{_listeners(){return n},clear(){n.forEach(o=>o([],{removed:[...e]})),e=[]},destroy(){this.clear(),n.clear(),r?.()},findProvider({rdns:o}){return e.find(s=>s.info.rdns===o)},getProviders(){return e},reset(){this.clear(),r?.(),r=t()},subscribe(o,{emitImmediately:s}={}){return n.add(o),s&&o(e,{added:e}),()=>n.delete(o)}}}var Zn=400,er=n=>typeof n=="string"&&/^data:image\/(png|svg\+xml|webp|jpeg|gif)[;,]/.test(n)?n:null,Vt=n=>{let e=He(),t=!1,r=()=>{let s=e.getProviders().map(({info:c,provider:u})=>({id:c.rdns,name:c.name,icon:er(c.icon),provider:u})),{ethereum:a}=window,i={id:"injected",name:null,icon:null,provider:a},l=s.length===0&&t&&a!==void 0?[i]:s;n(l,t)};e.subscribe(r),r();let o=setTimeout(()=>{t=!0,r()},Zn);return()=>{clearTimeout(o),e.destroy()}},Yt=n=>{let e=encodeURIComponent(n);return[{name:"MetaMask",url:`metamask://dapp/${n.replace(/^https?:\/\//,"")}`},{name:"Trust Wallet",url:`trust://open_url?coin_id=60&url=${e}`},{name:"Coinbase Wallet",url:`cbwallet://dapp?url=${e}`},{name:"OKX Wallet",url:`okx://wallet/dapp/url?dappUrl=${e}`}]};var tr=new Set(["completed","expired","canceled","failed"]),Kt=(n,e,t)=>{let r=null,o=!0,s=!1,a=[],i=!1,l=0,c=null,u=performance.now(),d=Ht({paymentId:n,service:e,state:()=>r,changed:()=>{d.phase!==c&&([c,u]=[d.phase,performance.now()]),t()}}),y=()=>{r!==null&&a.length>0&&d.resume(a)},_=Vt((k,W)=>{[a,i]=[k,W],y(),t()}),g=e.follow({state:k=>{let W=r===null;r=k,l=Date.parse(k.server_time)-Date.now(),tr.has(k.status)&&(d.settle(),g()),W&&y(),t()},connected:k=>{o!==k&&(o=k,t())},refused:()=>{s=!0,t()}});return{get state(){return r},get isConnected(){return o},get isRefused(){return s},get wallets(){return a},get areAllFound(){return i},payer:d,timeLeft:()=>r===null?0:Math.max(0,Date.parse(r.expires_at)-Date.now()-l),phaseAge:()=>performance.now()-u,end:()=>{g(),_(),d.end()}}};var Qt=_e`
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
`;var Xt=(n,e)=>m`
  <details class="address">
    <summary title=${p(n,"show_address")}><bdi dir="ltr">${bt(e)}</bdi></summary>
    <bdi dir="ltr">${e}</bdi>
  </details>
`,me=(n,e,t)=>n===null?h:m`<a class="link ${t}" part="button" href=${n} rel="noreferrer noopener" target="_top">${e}</a>`,Jt=({words:n,state:e},t)=>{let{explorer_url:r}=e.network;if(r===null||t===null)return h;let o=`${r.replace(/\/$/,"")}/tx/${t}`;return m`<a class="link plain" href=${o} rel="noreferrer noopener" target="_blank"
    >${p(n,"see_transaction")}</a
  >`},nr=(n,e)=>{let{merchant:t,network:r}=e;return m`
    <header class="merchant" part="merchant">
      ${t.logo_url===null?h:m`<img src=${t.logo_url} alt="" referrerpolicy="no-referrer" />`}
      <bdi>${t.name}</bdi>
    </header>
    <p class="muted">${p(n,"to_pay")}</p>
    <p class="amount" part="amount"><bdi>${ce(n,e)}</bdi></p>
    <p class="muted"><bdi>${p(n,"on_network",{network:r.name})}</bdi></p>
  `},rr=({words:n,state:e})=>{let{items:t,decimals:r,currency:o,external_id:s}=e;return t.length===0?h:m`
    <details part="items">
      <summary>${p(n,"items")}</summary>
      <ul class="items">
        ${t.map(({name:a,amount:i})=>m`<li><bdi>${a}</bdi> <bdi>${M(i,r,n.format)} ${o}</bdi></li>`)}
      </ul>
      <p class="muted"><bdi>${p(n,"order",{order:s})}</bdi></p>
    </details>
  `},or=({words:n,state:e,timeLeft:t,payer:r})=>{let o=e.status==="pending"||e.status==="awaiting_payment",s=e.payer??r.account,a=e.payer===null?"wallet_connected":"paid_by";return m`
    <dl>
      <dt>${p(n,"recipient")}</dt>
      <dd>${Xt(n,e.payment_address)}</dd>
      ${s===null?h:m`<dt>${p(n,a)}</dt>
              <dd>${Xt(n,s)}</dd>`}
      ${o&&t!==null?m`<dt>${p(n,"time_left")}</dt>
              <dd role="timer" aria-live="off">${t}</dd>`:h}
    </dl>
  `},sr=n=>{let{words:e,wallets:t,areAllFound:r,payer:o,link:s}=n,a=matchMedia("(pointer: coarse)").matches;return m`
    <div role="group" aria-label=${p(e,"wallet_choose")}>
      <ul class="stack">
        ${t.map(i=>m`
            <li>
              <button type="button" part="wallet" @click=${()=>{o.connect(i)}}>
                ${i.icon===null?h:m`<img src=${i.icon} alt="" />`}
                <bdi>${i.name??p(e,"wallet_injected")}</bdi>
              </button>
            </li>
          `)}
      </ul>
    </div>
    ${t.length===0&&r?m`<p><strong>${p(e,"wallet_none")}</strong> ${p(e,"wallet_none_help")}</p>`:h}
    ${s!==null&&a&&r?m`<ul class="stack">
            ${Yt(s).map(({name:i,url:l})=>m`<li>
                  <a class="link" href=${l} rel="noreferrer">${p(e,"wallet_open_in",{wallet:i})}</a>
                </li>`)}
          </ul>`:h}
    ${s===null?h:ar(n)}
  `},ar=({words:n,qr:e,isCopied:t,copy:r,showQr:o})=>m`
  <details @toggle=${o}>
    <summary>${p(n,"phone")}</summary>
    <p class="muted">${p(n,"phone_help")}</p>
    ${e??h}
    <button type="button" @click=${r}>${p(n,t?"copied":"copy_link")}</button>
  </details>
`,Gt=({state:n,payer:e},t)=>m`
  <button type="button" class="main" part="button" ?disabled=${!n.payable} @click=${()=>{e.pay()}}>
    <bdi>${t}</bdi>
  </button>
`,ir=n=>{let{words:e,payer:t}=n,{wallet:r,account:o}=t;return o!==null?Gt(n,p(e,"again_button")):m`<button type="button" class="main" part="button" @click=${()=>{t.connect(r)}}>
    ${p(e,"again_button")}
  </button>`},ze=({words:n,payer:e})=>m`
  <button type="button" class="plain" @click=${()=>e.leave()}>${p(n,"wallet_other")}</button>
`,lr=({words:n,state:e,payer:t})=>{let{funds:r}=t;if(r===null)return h;let o=r.tokens??r.coins,s=`${M(o,e.decimals,n.format)} ${e.currency}`;return m`<p class="muted"><bdi>${p(n,"wallet_balance",{amount:s})}</bdi></p>`},cr=n=>{let{words:e,state:t,payer:r,isSlow:o}=n,{phase:s}=r;switch(s.name){case"no_wallet":return t.payable?sr(n):h;case"ready":return m`${lr(n)}${Gt(n,p(e,"pay_button",{amount:ce(e,t)}))}
      ${ze(n)}`;case"asking":return o?m`<p>${p(e,"ask_slow")}</p>
            ${ze(n)}`:h;case"sent":return m`${Jt(n,s.hash)}
      ${s.isLate?m`<p>${p(e,"sent_again_warning")}</p>
              <button type="button" @click=${()=>r.forget()}>${p(e,"pay_again_button")}</button>`:h}`;case"trouble":return m`${ir(n)} ${ze(n)}`;default:return h}},dr=n=>{let{words:e,state:t}=n,{status:r,success_url:o,cancel_url:s}=t;return r==="completed"?me(o??s,p(e,"back_to_shop"),"main"):r==="processing"?me(o,p(e,"back_to_shop"),""):r==="expired"||r==="canceled"||r==="failed"?me(s??o,p(e,"back_to_shop"),"main"):me(s,p(e,"cancel_order"),"plain")},ur=({state:n,payer:e})=>n.status==="completed"?"good":["expired","canceled","failed","canceling"].includes(n.status)||n.status==="awaiting_payment"&&e.phase.name==="trouble"?"bad":"",Zt=n=>{let{words:e,state:t,payer:r,isConnected:o,formerUntil:s,chooseAgain:a}=n,i=t.status==="pending"||t.status==="awaiting_payment",l=i&&Ne(r.phase)||t.status==="processing"||i&&!t.payable,c=a!==null&&i&&["no_wallet","ready","trouble"].includes(r.phase.name);return m`
    ${nr(e,t)} ${or(n)} ${rr(n)}
    <p class="status ${ur(n)}" part="status" role="status" aria-live="polite" aria-atomic="true">
      ${l?m`<span class="spin" aria-hidden="true"></span>`:h}${Rt(e,t,r.phase,s)}
    </p>
    ${t.status==="processing"?m`<progress
            max=${t.confirmations.needed}
            value=${t.confirmations.seen}
            aria-hidden="true"
          ></progress>`:h}
    ${i?cr(n):Jt(n,t.transaction_hash)}
    ${c?m`<button type="button" class="plain" @click=${a}>${p(e,"choose_again")}</button>`:h}
    ${dr(n)} ${o?h:m`<p class="muted" role="status">${p(e,"reconnecting")}</p>`}
    ${i?m`<p class="muted" part="footer">${p(e,"warning")}</p>`:h}
  `};var pr=new URL("../..",import.meta.url).href.replace(/\/$/,""),ye=4,hr=2e4,[mr,yr]=["#171a21","#ffffff"],fr=(n,e)=>new Intl.NumberFormat(e,{minimumIntegerDigits:2,useGrouping:!1}).format(n),gr=(n,e)=>{let t=Math.floor(n/1e3),r=[Math.floor(t/3600),Math.floor(t/60)%60,t%60];return(r[0]===0?r.slice(1):r).map(o=>fr(o,e)).join(":")},Ve=class extends q{static styles=Qt;static properties={payment:{},checkout:{},token:{},locale:{},api:{},theme:{reflect:!0}};#e=null;#t=null;#o=null;#s=null;#n="en";#u=Pt;#a=null;#i=!1;#p;#l=matchMedia("(prefers-color-scheme: dark)");#r=()=>this.requestUpdate();connectedCallback(){super.connectedCallback(),this.#l.addEventListener("change",this.#r),this.#p=setInterval(()=>document.hidden||this.requestUpdate(),1e3),this.hasUpdated&&this.#m()}disconnectedCallback(){super.disconnectedCallback(),this.#l.removeEventListener("change",this.#r),clearInterval(this.#p),this.#h()}willUpdate(e){["payment","checkout","token","api"].some(t=>e.has(t))&&this.#m(),this.#_(),this.#b()}updated(){let e=this.renderRoot.querySelector(".card");e!==null&&this.#x(e),this.#A();let{state:t}=this.#t??{state:null};if(t===null||t.status===this.#s)return;this.#s=t.status;let r={id:t.id,status:t.status};this.dispatchEvent(new CustomEvent("carat-status",{detail:r,bubbles:!0,composed:!0})),this.#e?.refresh()}render(){return m`<section
      class="card"
      part="card"
      tabindex="-1"
      lang=${this.#n}
      dir=${xt(this.#n)?"rtl":"ltr"}
    >
      ${this.#v()}
    </section>`}#h(){this.#t?.end(),this.#e?.end(),[this.#t,this.#o,this.#e,this.#s]=[null,null,null,null]}#m(){this.#h();let{payment:e,checkout:t,token:r}=this;r!=null&&(t?this.#e=Wt(Oe(this.#c,"checkouts",t,r),this.#r):e&&this.#y(e,r))}get#c(){return(this.api??pr).replace(/\/$/,"")}#y(e,t){this.#t?.end(),this.#o=e,this.#t=Kt(e,Oe(this.#c,"payments",e,t),this.#r)}#_(){let e=this.#e?.checkout?.payment??null;e!==null&&e.id!==this.#o&&this.#y(e.id,e.access_token)}get#f(){let e=this.#t?.state?.locale??this.#e?.checkout?.locale;return[this.locale,e,...navigator.languages]}#b(){let e=At(this.#f);e!==this.#n&&(this.#n=e,Tt(e).then(t=>{e===this.#n&&(this.#u=t,this.requestUpdate())},()=>{}))}get#g(){return{texts:this.#u,format:St(this.#n,this.#f)}}#v(){let e=this.#g,[t,r]=[this.#t,this.#e];return(r??t)?.isRefused??!0?m`<p class="status bad" part="status" role="status">${p(e,"refused")}</p>`:r!==null&&r.checkout!==null&&(r.isChoosing||t===null)?Lt(e,r):t===null||t.state===null?m`<p class="status" part="status" role="status">
        <span class="spin" aria-hidden="true"></span>${p(e,"loading")}
      </p>`:this.#$(e,t)}#$(e,t){let{state:r,payer:o,wallets:s,areAllFound:a,isConnected:i}=t,l=t.timeLeft(),{checkout:c}=this.#e??{checkout:null},u=c?.former_open_until??null,d=new Intl.DateTimeFormat(e.format,{timeStyle:"short"});return Zt({words:e,state:r,payer:o,wallets:s,areAllFound:a,isConnected:i,timeLeft:l===0?null:gr(l,e.format),formerUntil:u===null?null:d.format(new Date(u)),isSlow:t.phaseAge()>hr,link:this.#d,qr:this.#a,isCopied:this.#i,copy:()=>{this.#P()},showQr:()=>{this.#k().catch(()=>{})},chooseAgain:c===null||c.choices_left===0?null:()=>this.#e?.chooseAgain()})}get#d(){let e=this.checkout??this.payment;return e===null||this.token===null?null:`${this.#c}/pay/${e}#${this.token}`}async#k(){let e=this.#d;if(this.#a!==null||e===null)return;let{qrPath:t}=await kt({name:"qr.js",digest:"JThXxkuZa3iq+wvW7EAT/dHlMIa7y7hIvUKHCuxKnfM="}),{path:r,size:o}=t(e),s=`${-ye} ${-ye} ${o+2*ye} ${o+2*ye}`,a=p(this.#g,"qr_label");this.#a=ut`<svg class="qr" role="img" aria-label=${a} viewBox=${s}><path fill="#000" d=${r} /></svg>`,this.requestUpdate()}async#P(){try{await navigator.clipboard.writeText(this.#d??""),this.#i=!0}catch{this.#i=!1}this.requestUpdate()}#x(e){let t=(this.#t?.state??this.#e?.checkout)?.merchant.accent_color??null,r=getComputedStyle(this);if(t===null||r.getPropertyValue("--carat-accent")!=="")return;let o=this.#l.matches&&this.theme!=="light",s=r.getPropertyValue("--carat-surface").trim()||(o?mr:yr),a=_t(t,s);a!==null&&(e.style.setProperty("--_accent",a.accent),e.style.setProperty("--_on-accent",a.onAccent))}#w=!1;#A(){let{activeElement:e}=this.renderRoot;this.#w&&e===null&&document.hasFocus()&&document.activeElement===document.body&&this.renderRoot.querySelector("button.main:not([disabled]), a.main, .card")?.focus(),this.#w=this.renderRoot.activeElement!==null}};customElements.get("carat-pay")===void 0&&customElements.define("carat-pay",Ve);export{Ve as CaratPay};
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
