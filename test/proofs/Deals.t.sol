// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LibDeals} from "../../contracts/libraries/LibDeals.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";import {IDiamondLoupe} from "../../contracts/interfaces/IDiamondLoupe.sol"; import {ProofBase} from "./support/ProofBase.sol";

contract DealProofs is ProofBase {
    function one(address caller, uint256 value, uint256 dealId, bytes32 word, bytes4 sel) internal {
        vm.assume(statusOf(word) == LibDeals.PAID || statusOf(word) == LibDeals.CANCELLED);
        setWord(dealId, word);
        vm.deal(caller, value);
        bytes memory data = svm.createCalldata("WholeDiamond", true);
        vm.assume(data.length >= 4 && bytes4(data) == sel);
        vm.prank(caller);
        (bool ok,) = diamond.call{value: value}(data);
        assert(wordOf(dealId) == word);
    }
    function check_create(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDealFacet.createDeals.selector); }
    function check_cancel(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDealFacet.cancelDeals.selector); }
    function check_payToken(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDealFacet.payToken.selector); }
    function check_payNative(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDealFacet.payNative.selector); }
    function check_sweep(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDealFacet.sweep.selector); }
    function check_facets(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDiamondLoupe.facets.selector); }
    function check_facetAddresses(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDiamondLoupe.facetAddresses.selector); }
    function check_cut(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDiamondCut.diamondCut.selector); }
    function check_cutChecked(address caller, uint256 value, uint256 dealId, bytes32 word) public { one(caller, value, dealId, word, IDiamondCut.diamondCutChecked.selector); }
}
