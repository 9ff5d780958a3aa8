package actor_test

// HTML fixtures. window.log is what really happened on the page; tests read it
// as their oracle.

const logger = `<script>window.log=[];const said=(s)=>log.push(s)</script>`

const twins = logger + `
<nav><a href="#nav" onclick="said('nav')">Sign in</a></nav>
<main><button onclick="said('button')">Sign in</button></main>
<footer><a href="#foot" onclick="said('foot')">Sign in</a></footer>`

const covered = logger + `
<style>#veil{position:fixed;inset:0;background:#0008}</style>
<button onclick="said('pay')">Pay</button><div id=veil aria-label="Cookie wall" role=dialog>Cookies?</div>`

const sticky = logger + `
<style>header{position:fixed;top:0;left:0;right:0;height:80px;background:#fff}</style>
<header>Head</header><div style="height:3000px"></div>
<div style="height:120px;overflow:auto" id=box><div style="height:900px"></div><button onclick="said('deep')">Deep one</button><div style="height:900px"></div></div>
<div style="height:3000px"></div>`

const rerender = logger + `
<ul id=list></ul>
<script>
let n=0;
function draw(names){const ul=document.getElementById('list');ul.innerHTML='';for(const x of names){const li=document.createElement('li');li.textContent=x+' ';const b=document.createElement('button');b.textContent='Open';b.setAttribute('aria-label','Open '+x);b.onclick=()=>said(x);li.append(b);ul.append(li)}}
draw(['Alpha','Beta']);
</script>`

const closedShadow = logger + `
<x-card></x-card>
<script>
customElements.define('x-card', class extends HTMLElement{constructor(){super();const r=this.attachShadow({mode:'closed'});
r.innerHTML='<style>button{margin:40px}</style><p>Inside</p><button>Confirm seat</button><label>Seat note <input></label>';
r.querySelector('button').onclick=()=>said('closed');r.querySelector('input').oninput=(e)=>said('note:'+e.target.value)}});
</script>`

const framed = logger + `<h1>Checkout</h1><div style="height:1400px"></div><iframe title="Card form" src="OTHER/card" width=400 height=200></iframe>`

const cardForm = `<!doctype html><body>` + logger + `
<label>Card number <input id=n oninput="said('input')"></label><button onclick="said('pay:'+n.value+':'+event.isTrusted)">Pay now</button>`

const combobox = logger + `
<label id=l>Plan</label><div role=combobox tabindex=0 aria-labelledby=l aria-haspopup=listbox aria-expanded=false id=c style="border:1px solid;width:200px;height:24px">Choose…</div>
<div style="height:60px"></div><button onclick="said('other')">Business</button>
<script>
const c=document.getElementById('c');
c.onclick=()=>{if(c.getAttribute('aria-expanded')==='true')return;c.setAttribute('aria-expanded','true');
 setTimeout(()=>{const p=document.createElement('div');p.setAttribute('role','listbox');p.id='pop';p.style.cssText='position:absolute;top:40px;left:300px;border:1px solid';
  for(const x of ['Free','Team','Business','Business Plus']){const o=document.createElement('div');o.setAttribute('role','option');o.textContent=x;o.onclick=()=>{c.textContent=x;c.setAttribute('aria-expanded','false');p.remove();said('plan:'+x)};p.append(o)}
  document.body.append(p)},400)};
document.addEventListener('keydown',e=>{if(e.key==='Escape'){document.getElementById('pop')?.remove();c.setAttribute('aria-expanded','false');said('esc')}});
</script>`

const typeahead = logger + `
<label>City <input role=combobox aria-expanded=false aria-autocomplete=list id=c></label><div id=out></div>
<script>
const c=document.getElementById('c');const all=['Berlin','Bern','Bonn','Paris'];
c.oninput=()=>{setTimeout(()=>{out.innerHTML='';if(!c.value)return;const ul=document.createElement('ul');ul.setAttribute('role','listbox');for(const x of all.filter(x=>x.startsWith(c.value))){const li=document.createElement('li');li.setAttribute('role','option');li.textContent=x;li.onmousedown=(e)=>{e.preventDefault();c.value=x;out.innerHTML='';said('city:'+x)};ul.append(li)}out.append(ul)},150)};
</script>`

const virtualList = logger + `
<button aria-haspopup=listbox aria-expanded=false aria-label="Country" id=c>Country</button>
<script>
const c=document.getElementById('c');
c.onclick=()=>{c.setAttribute('aria-expanded','true');const p=document.createElement('div');p.setAttribute('role','listbox');p.setAttribute('aria-label','Countries');p.style.cssText='height:100px;overflow:auto;width:200px;position:relative';const inner=document.createElement('div');inner.style.height=300*20+'px';p.append(inner);
 const draw=()=>{inner.innerHTML='';const from=Math.floor(p.scrollTop/20);for(let i=from;i<Math.min(300,from+7);i++){const o=document.createElement('div');o.setAttribute('role','option');o.textContent='Country '+i;o.style.cssText='position:absolute;height:20px;top:'+i*20+'px';o.onclick=()=>{c.textContent='Country '+i;p.remove();said('country:'+i)};inner.append(o)}};
 p.onscroll=draw;document.body.append(p);draw()};
</script>`

// Three date pickers. Each writes window.picked.
const datePickers = logger + `
<label>Native <input type=date id=nat onchange="said('native:'+this.value)"></label>
<label>Start <input id=aria placeholder="MM/DD/YYYY"></label><button id=open aria-label="Choose date">▦</button>
<div id=holder></div>
<label>Due <input id=bare readonly></label><div id=pop style="position:absolute"></div>
<script>
const MN=['January','February','March','April','May','June','July','August','September','October','November','December'];
let y=2026,m=10;
function grid(){holder.innerHTML='<div role=dialog aria-label="Pick a date"><button aria-label="Previous month" id=pm>‹</button><h2 aria-live=polite>'+MN[m]+' '+y+'</h2><button aria-label="Next month" id=nm>›</button><table role=grid></table></div>';
 pm.onclick=()=>{m--;if(m<0){m=11;y--}setTimeout(grid,120)};nm.onclick=()=>{m++;if(m>11){m=0;y++}setTimeout(grid,120)};
 const t=holder.querySelector('table');let tr;const first=new Date(y,m,1).getDay();const days=new Date(y,m+1,0).getDate();const prev=new Date(y,m,0).getDate();
 for(let i=0;i<42;i++){if(i%7===0){tr=document.createElement('tr');t.append(tr)}const td=document.createElement('td');td.setAttribute('role','gridcell');const d=i-first+1;td.textContent=d<1?prev+d:d>days?d-days:d;if(d<1||d>days)td.setAttribute('aria-disabled','true');else td.onclick=()=>{document.getElementById('aria').value=String(m+1).padStart(2,'0')+'/'+String(d).padStart(2,'0')+'/'+y;holder.innerHTML='';said('aria')};tr.append(td)}}
document.getElementById('open').onclick=grid;
let by=2026,bm=10;
function bareDraw(){const p=document.getElementById('pop');let h='<div style="width:210px"><div style="display:flex;justify-content:space-between"><div class=b>‹</div><div>'+MN[bm].slice(0,3)+' '+by+'</div><div class=n>›</div></div><div style="display:grid;grid-template-columns:repeat(7,30px)">';
 const first=(new Date(by,bm,1).getDay()+6)%7,days=new Date(by,bm+1,0).getDate(),prev=new Date(by,bm,0).getDate();
 for(let i=0;i<42;i++){const d=i-first+1;h+='<div style="height:24px" data-d='+(d<1||d>days?0:d)+'>'+(d<1?prev+d:d>days?d-days:d)+'</div>'}
 p.innerHTML=h+'</div></div>'}
document.getElementById('bare').onclick=bareDraw;
document.getElementById('pop').onclick=(e)=>{const t=e.target;if(t.className==='b'){bm--;if(bm<0){bm=11;by--}bareDraw()}else if(t.className==='n'){bm++;if(bm>11){bm=0;by++}bareDraw()}else if(+t.dataset.d){document.getElementById('bare').value=t.dataset.d+'. '+MN[bm]+' '+by;document.getElementById('pop').innerHTML='';said('bare')}};
</script>`

const form = logger + `
<form onsubmit="return false">
<label>Name <input id=name oninput="said('i')"></label>
<label>Password <input type=password id=pw></label>
<label>API key <input id=key></label>
<label>Amount <input type=number id=amount></label>
<label>Colour <input type=color id=col></label>
<label>Volume <input type=range id=vol min=0 max=10></label>
<label>Notes <textarea id=notes>old draft text</textarea></label>
<label>Fixed <input readonly value=x></label>
<div contenteditable=true aria-label="Message" role=textbox id=rich>first <b>draft</b></div>
<label>Card <input id=masked></label>
<label>Keys only <input id=keys></label>
<label><input type=checkbox id=cb onchange="said('cb:'+this.checked)"> Agree</label>
<label>Size <select id=size onchange="said('size:'+this.value)"><option value=s>Small<option value=l>Large<option disabled>Huge</select></label>
<button disabled>Later</button>
</form>
<script>
masked.oninput=()=>{masked.value=masked.value.replace(/\D/g,'').replace(/(.{4})(?=.)/g,'$1 ')};
keys.addEventListener('beforeinput',e=>{if(!window.down)e.preventDefault()});
keys.addEventListener('keydown',()=>{window.down=true});keys.addEventListener('keyup',()=>{window.down=false});
</script>`

const hiddenBox = logger + `
<style>.sw input{position:absolute;opacity:0;width:0;height:0}.sw span{display:inline-block;width:40px;height:20px;background:#ccc}</style>
<label class=sw><input type=checkbox aria-label="Notify me" onchange="said('on:'+this.checked)"><span></span></label>`

const dialogs = logger + `
<button onclick="said('del:'+confirm('Delete Acme?'))">Delete</button>
<button onclick="said('ask:'+prompt('Your name?'))">Ask</button>
<button onclick="setTimeout(()=>{said('late:'+confirm('Sure?'))},600)">Late</button>
<button onclick="onbeforeunload=(e)=>{e.preventDefault();e.returnValue='x'};said('armed')">Arm</button>
<a href="/second">Second</a>`

const files = logger + `
<label>Import <input type=file id=f onchange="f.files[0].text().then(t=>said('file:'+f.files[0].name+':'+t))"></label>
<button onclick="g.click()">Attach</button><input type=file id=g hidden onchange="g.files[0].text().then(t=>said('attach:'+g.files[0].name+':'+t))">
<div id=zone style="height:60px;width:200px;border:1px dashed" tabindex=0 role=button aria-label="Drop here">Drop</div>
<a href="/report.csv" download="report.csv">Report</a>
<script>zone.ondragover=e=>e.preventDefault();zone.ondrop=e=>{e.preventDefault();const x=e.dataTransfer.files[0];x.text().then(t=>said('drop:'+x.name+':'+t))};</script>`

const dragging = logger + `
<div id=a draggable=true role=button aria-label="Task" style="width:80px;height:40px;background:#8cf">Task</div><div style="height:80px"></div>
<div id=z role=group aria-label="Done" tabindex=0 style="width:200px;height:80px;background:#efe">Done</div>
<div id=k role=slider aria-label="Knob" aria-valuenow=0 tabindex=0 style="position:relative;left:0;width:40px;height:40px;background:#fc8"></div>
<div id=end role=group aria-label="End" tabindex=0 style="position:absolute;left:400px;top:330px;width:60px;height:40px;background:#ccc">End</div>
<script>
a.ondragstart=e=>{e.dataTransfer.setData('text/plain','task');said('start')};
z.ondragover=e=>e.preventDefault();z.ondrop=e=>{e.preventDefault();said('drop:'+e.dataTransfer.getData('text/plain'))};
let on=false;k.onpointerdown=()=>{on=true};window.onpointermove=e=>{if(on)k.setAttribute('aria-valuenow',Math.round(e.clientX))};window.onpointerup=()=>{if(on){on=false;said('knob:'+k.getAttribute('aria-valuenow'))}};
</script>`

const hostile = logger + `
<form><input name=parentNode><input name=getAttribute><input name=labels><button name=innerText onclick="said('send');return false">Send it</button></form>
<img name=querySelector><img name=elementFromPoint>
<script>Element.prototype.getBoundingClientRect=()=>{throw 1};Element.prototype.matches=()=>true;document.elementFromPoint=()=>null;
window.addEventListener('click',e=>e.stopImmediatePropagation(),true)</script>`

const swap = logger + `
<button id=b>Approve</button>
<script>b.addEventListener('mouseenter',()=>{if(window.swapped)return;window.swapped=true;const d=document.createElement('button');d.textContent='Reject';d.style.cssText='position:absolute;left:0;top:0;width:300px;height:200px';d.onclick=()=>said('reject');document.body.append(d)});b.onclick=()=>said('approve')</script>`
