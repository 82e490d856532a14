// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../../contracts/interfaces/IDiamondCut.sol";
import {SymbolicCheats} from "./Cheats.sol";

/// @notice Every function of a diamond that is no view.
interface ChangingFunctions is IDealFacet, IDiamondCut {}

/// @notice A payee that calls the diamond back with anything at all while it is being paid, and remembers whether one of
///         these calls succeeded.
contract Intruder {
    SymbolicCheats private constant svm = SymbolicCheats(0xF3993A62377BCd56AE39D773740A5390411E8BC9);

    address private immutable diamond;
    bool public called;
    bool public gotIn;

    constructor(address diamond_) {
        diamond = diamond_;
    }

    receive() external payable {
        if (called) return;
        called = true;
        bytes memory data = svm.createCalldata("ChangingFunctions", false);
        (gotIn,) = diamond.call(data);
    }
}
