// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../../contracts/interfaces/IDiamondLoupe.sol";
import {IERC165} from "../../../contracts/interfaces/IERC165.sol";
import {SymbolicCheats} from "./Cheats.sol";

/// @notice Every function of a diamond of the release.
interface WholeDiamond is IDealFacet, IDiamondCut, IDiamondLoupe, IERC165 {}

/// @notice A payee that calls any function of the diamond that is no view, or an unknown one, while it is being paid, and
///         remembers whether the call succeeded.
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
        bytes memory data = svm.createCalldata("WholeDiamond", false);
        (gotIn,) = diamond.call(data);
    }
}
