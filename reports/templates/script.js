(function(){
'use strict';
var all=function(q,e){return Array.prototype.slice.call((e||document).querySelectorAll(q));};
// Sorting: a button in each heading of a table that can be sorted.
all('table[data-sort]').forEach(function(table){
  var heads=all('thead th',table);
  heads.forEach(function(th,at){
    if(!th.textContent.trim()||th.querySelector('svg')){return;}
    var button=document.createElement('button');
    button.type='button';
    while(th.firstChild){button.appendChild(th.firstChild);}
    th.appendChild(button);
    button.addEventListener('click',function(){
      var up=th.getAttribute('aria-sort')!=='ascending';
      heads.forEach(function(h){h.removeAttribute('aria-sort');});
      th.setAttribute('aria-sort',up?'ascending':'descending');
      var key=function(row){
        var cell=row.cells[at];
        var text=cell?cell.textContent.trim():'';
        var number=th.classList.contains('n')?parseFloat(text.replace(/,/g,'').replace(/^\u003c ?/,'')):NaN;
        return {text:text,number:number};
      };
      var body=table.tBodies[0];
      var rows=all('tr',body).map(function(row){return {row:row,key:key(row)};});
      rows.sort(function(a,b){
        var x=a.key,y=b.key,d;
        if(th.classList.contains('n')){
          // What has no number comes last, whichever way.
          if(isNaN(x.number)){return isNaN(y.number)?0:1;}
          if(isNaN(y.number)){return -1;}
          d=x.number-y.number;
        }else{d=x.text.localeCompare(y.text);}
        return up?d:-d;
      });
      rows.forEach(function(r){body.appendChild(r.row);});
    });
  });
});
// Finding: words and verdicts, over tables, histograms and failures.
var find=document.getElementById('find');
if(find){
  find.hidden=false;
  var input=find.querySelector('input[type=search]');
  var boxes=all('input[type=checkbox]',find);
  var told=find.querySelector('[role=status]');
  var items=all('[data-v]').map(function(e){return {e:e,v:e.getAttribute('data-v'),t:e.textContent.toLowerCase()};});
  var show=function(){
    var words=input.value.toLowerCase().split(/\s+/);
    var wanted=boxes.filter(function(b){return b.checked;}).map(function(b){return b.value;});
    var seen=0,rows=0;
    items.forEach(function(i){
      var ok=(wanted.length===0||wanted.indexOf(i.v)>=0)?words.every(function(w){return i.t.indexOf(w)>=0;}):false;
      i.e.hidden=!ok;
      if(i.e.tagName==='TR'){rows++;if(ok){seen++;}}
    });
    told.textContent=seen+' of '+rows+' tests';
  };
  input.addEventListener('input',show);
  boxes.forEach(function(b){b.addEventListener('change',show);});
  show();
}
// A link to a thing inside something closed opens it.
var open=function(){
  var at=location.hash?document.getElementById(decodeURIComponent(location.hash.slice(1))):null;
  for(var e=at;e;e=e.parentElement){if(e.tagName==='DETAILS'){e.open=true;}}
  if(at){at.scrollIntoView();}
};
window.addEventListener('hashchange',open);
if(location.hash){open();}
window.addEventListener('beforeprint',function(){all('details.p').forEach(function(d){d.open=true;});});
})();
